#pragma once
#include <memory>
#include <string>
#include <vector>

#include "autograd/ops/multi_index.h"

namespace pinn {

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
    raw_output,  ///< N in a hard constraint: the network's own output for the field at hand
    call,  ///< the op `name` (autograd/ops) of `inputs`: add, sub, mul, div, pow, neg, sin, where,
           ///< less ...
    derivative  ///< of inputs[0], `order` times by each coordinate; nested ones are merged
  };
  Kind kind = Kind::number;
  double number = 0;
  int index = 0;
  std::string name;
  std::vector<ExpressionPtr> inputs;
  MultiIndex order{};
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

}  // namespace pinn
