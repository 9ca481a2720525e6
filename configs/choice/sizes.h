#pragma once
#include <vector>

#include "solvers/problem/problem.h"

namespace pinn::config {

/// Sizes that the formulas of a problem tell of its solution before anything is trained.
struct Sizes {
  /// Per coordinate, radians over half of its interval: how fast what is given varies along it; of
  /// time, how fast the equations make the start change.
  std::vector<double> waves;
  /// The fastest rate, in the same measure, by which the equations make a start grow or fade and
  /// that is no wave of all time, but a layer at its start; 0: there is none.
  double layer = 0;
  /// Per requirement and residual: root mean square of its largest term, with fields that have the
  /// size and the waves of what is given; times its factor.
  std::vector<std::vector<double>> terms;
  /// Per requirement, what its residuals are multiplied by for its poles; null: it has none.
  std::vector<ExpressionPtr> factors;
};

/// Sizes of a problem whose outputs are those it will be trained with.
Sizes sizes_of(const Problem& problem);

/// A formula of order one by which an equation is finite towards those ends of its coordinates in
/// space where it has a pole, as u_r/r has at r = 0, whatever smooth fields there are; null where
/// it has none.
ExpressionPtr pole_factor(const Problem& problem, const Requirement& equation);

}  // namespace pinn::config
