#pragma once
#include <bitset>
#include <memory>
#include <string>
#include <vector>

#include "autograd/ops/multi_index.h"

namespace pinn {

class TableFunction;
class Partition;
struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

/// A node of a formula. Immutable and shared: a named sub-expression (`define`) appears as one node
/// with several parents, so a reader may evaluate each node once.
///
/// Sugar is gone after parsing: laplacian, grad, div, dot, u_n, u_xx are made of the kinds below;
/// constants are numbers that remember their name; `lhs = rhs` is lhs - rhs.
struct Expression {
  enum class Kind {
    number,      ///< `number`; `name` is the constant it came from, or empty
    coordinate,  ///< coordinate `index`
    field,       ///< field `index`
    unknown,     ///< trained number `index`
    column,      ///< local column `index` of a data requirement
    normal,      ///< component `index` (a coordinate) of the outward normal
    before,      ///< field `index` of the window of time before, at its end
    raw_output,  ///< N in a hard constraint: the network's own output for the field at hand
    call,  ///< the op `name` (autograd/ops) of `inputs`: add, sub, mul, div, pow, neg, sin, where,
           ///< less ...
    by_region,   ///< inputs[i] in region i of `partition`
    lookup,      ///< the derivative of `table`, `order` times by each of its inputs, of `inputs`;
                 ///< `name` is the table's
    derivative,  ///< of inputs[0], `order` times by each coordinate; nested ones are merged
    whole,       ///< `name` is integral or mean: of inputs[0], over the region that is asked about
    elsewhere,   ///< inputs[0] where the coordinates that `order` marks are the other inputs
    bound,       ///< the number `index` that an integral runs over, called `name`
    integral  ///< of inputs[0] over the bound number `index`, `name`, from inputs[1] to inputs[2]
  };
  Kind kind = Kind::number;
  double number = 0;
  bool varies = false;  ///< a number that follows a constant which the run changes
  int index = 0;
  std::string name;
  std::vector<ExpressionPtr> inputs;
  MultiIndex order{};
  std::shared_ptr<const TableFunction> table = {};
  std::shared_ptr<const Partition> partition = {};
  std::size_t begin = 0, end = 0;  ///< bytes of the text it was read from
  int depth = 1;                   ///< nodes on the longest way down to a leaf; at most max_depth
  int nodes = 1;                   ///< with shared nodes counted once per use; at most max_nodes
};

/// Bounds on what a text may become, so that a hostile one ends in a message and not in a crash.
inline constexpr int max_order = 6;             ///< total order of a derivative
inline constexpr int max_depth = 1000;          ///< of a tree: a pass over it may recurse
inline constexpr int max_nodes = 65536;         ///< of a tree written out in full
inline constexpr int max_nesting = 256;         ///< parentheses, calls, signs and powers in a text
inline constexpr std::size_t max_text = 65536;  ///< bytes

/// The makers of nodes. They keep `depth` and `nodes` right; they simplify nothing.
ExpressionPtr make_number(double value, std::string name = {}, bool varies = false);
/// A number that was computed from others: it varies where one of these does.
ExpressionPtr number_of(double value, const std::vector<ExpressionPtr>& numbers);
/// A coordinate, field, unknown, column, normal component or raw output.
ExpressionPtr make_leaf(Expression::Kind kind, int index = 0);
ExpressionPtr make_call(std::string op, std::vector<ExpressionPtr> inputs);
ExpressionPtr make_lookup(const std::shared_ptr<const TableFunction>& table,
                          std::vector<ExpressionPtr> inputs, const MultiIndex& order = {});
/// One formula for each region of a partition.
ExpressionPtr make_by_region(const std::shared_ptr<const Partition>& partition,
                             std::vector<ExpressionPtr> inputs);
/// integral(of) or mean(of), over all of a region.
ExpressionPtr make_whole(std::string name, const ExpressionPtr& of);
/// The formula elsewhere; `places` in the order of the coordinates that are marked.
ExpressionPtr make_elsewhere(const ExpressionPtr& of, const MultiIndex& marked,
                             const std::vector<ExpressionPtr>& places);
/// A number that an integral runs over, and the integral.
ExpressionPtr make_bound(int number, std::string name);
ExpressionPtr make_integral(const Expression& bound, const ExpressionPtr& of,
                            const ExpressionPtr& lower, const ExpressionPtr& upper);
/// The same node of other inputs.
ExpressionPtr with_inputs(const Expression& node, std::vector<ExpressionPtr> inputs);
/// True if a node is a function of its inputs at the same point: a call, a lookup or a choice by
/// region.
bool is_pointwise(const Expression& e);
/// `order` times the derivative of `of`; a derivative of a derivative is one node.
ExpressionPtr make_derivative(const ExpressionPtr& of, const MultiIndex& order);
/// The same node, read from bytes [begin, end) of a text.
ExpressionPtr placed(const ExpressionPtr& node, std::size_t begin, std::size_t end);

/// Every node under the root once, inputs before the nodes that use them; no recursion.
std::vector<const Expression*> in_order(const Expression& root);

bool is_constant(const Expression& e);
bool is_constant(const Expression& e, double value);

/// Variables that an expression depends on, as found by looking at its leaves.
struct Dependence {
  std::bitset<max_coordinates> coordinates;  ///< those that appear
  bool fields = false;  ///< a field appears, so it changes with every coordinate
  bool points = false;  ///< a normal, a data column or N appears: known at points only
  bool on(int coordinate) const { return fields || coordinates[std::size_t(coordinate)]; }
};
Dependence dependence(const Expression& e);

/// True if a node of this kind appears in the expression.
bool contains(const Expression& e, Expression::Kind kind);

/// Terms that a formula is the sum of, signs left out: those of an equation. A factor, a divisor or
/// a derivative of a sum belongs to each of its terms: w*(u_t - u_xx) is made of w*u_t and w*u_xx.
/// A sum or product of more than 64 stays one term.
std::vector<ExpressionPtr> summands(const ExpressionPtr& formula);

}  // namespace pinn
