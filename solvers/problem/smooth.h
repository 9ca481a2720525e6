#pragma once
#include <string_view>
#include <vector>

#include "solvers/problem/expression.h"

namespace pinn {

/// What is found under a derivative that it cannot see through.
struct Obstacle {
  enum class Kind {
    order,     ///< derivatives of derivatives add up to more than max_order
    jump,      ///< where, sign or a comparison jumps along a coordinate differentiated by: error
    switched,  ///< the same, but where a field crosses a value: right wherever it does not
    kink,      ///< abs, relu, min or max under a second derivative
    point      ///< a normal, a data column or N: not a function of the coordinates
  };
  Kind kind;
  const Expression* node;  ///< the node that is in the way
  int coordinate = 0;      ///< of a jump: along which
};

/// Whether an op is continuous and has a jump in its slope: abs, relu, min, max.
bool has_kink(std::string_view op);

/// Looks through everything under a derivative node, derivatives inside it included.
std::vector<Obstacle> obstacles(const Expression& derivative);

}  // namespace pinn
