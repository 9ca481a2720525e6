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
    call,        ///< the op `name` (autograd/ops) of `inputs`: add, sub, mul, div, pow, neg, sin, where, less ...
    derivative   ///< of inputs[0], `order` times by each coordinate; nested ones are merged
  };
  Kind kind = Kind::number;
  double number = 0;
  int index = 0;
  std::string name;
  std::vector<ExpressionPtr> inputs;
  MultiIndex order{};
  std::size_t begin = 0, end = 0;  ///< bytes of the text it was read from
};

}  // namespace pinn
