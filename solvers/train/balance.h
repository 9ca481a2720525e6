#pragma once
#include "solvers/problem/validate.h"
#include "solvers/residual/step_cache.h"
#include "solvers/train/run.h"

namespace pinn {

/// A residual beside the terms that it is the sum of, at held-out points: root mean squares.
struct Balance {
  std::string name;  ///< of the loss term
  double residual = 0;
  double terms = 0;  ///< what has to balance: see balances
};

/// One per residual of the problem; data and periodic conditions are left out. `terms` is the
/// largest term that the network has no part in, or the second largest of all, if that is more:
/// the largest alone may be right to vanish, as in u = 0.
std::vector<Balance> balances(const Run& run, const std::shared_ptr<const Model>& model,
                              std::span<const double> p, ThreadPool& pool,
                              const std::shared_ptr<StepCache>& cache);

/// Whether a residual is more than 1e-4 of the terms that have to balance: less is no reason for an
/// alarm, wherever it is larger or smaller. True where there is nothing to compare it with.
bool is_worth_telling(const Balance& balance);

/// What to say of residuals that are no small part of their equation's terms, and did not become
/// small since the run's `first` parameters either.
Warnings unbalanced(const std::vector<Balance>& result, const std::vector<Balance>& first);

}  // namespace pinn
