#pragma once
#include <vector>

#include "solvers/problem/problem.h"

namespace pinn::config {

/// What the formulas of a problem tell of its solution before anything is trained.
struct Sizes {
  /// Per coordinate, radians over half of its interval: how fast what is given varies along it; of
  /// time, how fast the equations make the start change.
  std::vector<double> waves;
  /// Per requirement and residual: root mean square of its largest term, with fields that have the
  /// size and the waves of what is given.
  std::vector<std::vector<double>> terms;
};

/// Of a problem whose outputs are those it will be trained with.
Sizes sizes_of(const Problem& problem);

}  // namespace pinn::config
