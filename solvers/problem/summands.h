#pragma once
#include <vector>

#include "solvers/problem/expression.h"

namespace pinn {

/// What a formula is the sum of, signs left out: the terms of an equation. A factor, a divisor or a
/// derivative of a sum belongs to each of its terms: w*(u_t - u_xx) is made of w*u_t and w*u_xx.
/// What would be more than 64 stays one.
std::vector<ExpressionPtr> summands(const ExpressionPtr& formula);

}  // namespace pinn
