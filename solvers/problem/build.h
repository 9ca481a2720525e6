#pragma once
#include "solvers/problem/expression.h"

namespace pinn {

/// The makers of nodes. They keep `depth` and `nodes` right; they simplify nothing.
ExpressionPtr make_number(double value, std::string name = {});
/// A coordinate, field, unknown, column, normal component or raw output.
ExpressionPtr make_leaf(Expression::Kind kind, int index = 0);
ExpressionPtr make_call(std::string op, std::vector<ExpressionPtr> inputs);
/// `order` times the derivative of `of`; a derivative of a derivative is one node.
ExpressionPtr make_derivative(const ExpressionPtr& of, const MultiIndex& order);
/// The same node, read from bytes [begin, end) of a text.
ExpressionPtr placed(const ExpressionPtr& node, std::size_t begin, std::size_t end);

/// Every node under the root once, inputs before the nodes that use them; no recursion.
std::vector<const Expression*> in_order(const Expression& root);

bool is_constant(const Expression& e);
bool is_constant(const Expression& e, double value);

/// What an expression changes with, as found by looking at its leaves.
struct Dependence {
  unsigned coordinates = 0;  ///< bit i: coordinate i appears
  bool fields = false;       ///< a field appears, so it changes with every coordinate
  bool points = false;       ///< a normal, a data column or N appears: known at points only
  bool on(int coordinate) const { return fields || (coordinates >> coordinate & 1u); }
};
Dependence dependence(const Expression& e);

/// Whether a node of this kind appears in it.
bool contains(const Expression& e, Expression::Kind kind);

}  // namespace pinn
