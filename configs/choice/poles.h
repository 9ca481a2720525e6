#pragma once
#include "solvers/problem/problem.h"

namespace pinn::config {

/// A formula of order one by which an equation is finite towards those ends of its coordinates in
/// space where it has a pole, as u_r/r has at r = 0, whatever smooth fields there are; null where
/// it has none.
ExpressionPtr pole_factor(const Problem& problem, const Requirement& equation);

}  // namespace pinn::config
