#pragma once
#include "autograd/core/error.h"
#include "solvers/optimize/optimizer.h"
#include "solvers/problem/checks.h"
#include "solvers/residual/loss/loss.h"
#include "solvers/residual/step/step_cache.h"
#include "solvers/results/results.h"
#include "solvers/state/run.h"

namespace pinn {

/// Warnings about a result: each looks at one way in which it may be worth less than its loss says,
/// and gives a warning per case.

/// Errors larger than `[reference]` promises, and promises that no error was measured for.
///
///   errors  relative L2, by the name of what was compared
Warnings broken_promises(const Run& run, const std::vector<Distance>& errors);
/// The same of the numbers that are asked for.
Warnings broken_promises(const Run& run, const std::vector<FoundValue>& values);

/// Data that are fitted far below their noise: chi-square per point, about 1 for noise as large as
/// `sigma` says, is below a quarter. Only where sigma is known and there are enough points to tell.
///
///   found  the loss at the data themselves
Warnings learned_noise(const Run& run, const Loss::Result& found);

/// Fields that training has made constant, all of them: in a problem that these constants satisfy
/// (where the network's output has a form, 0 alone), or in one that they do not and that is not
/// `solved`.
Warnings trivial_solution(const Run& run, const std::shared_ptr<const Model>& model,
                          std::span<const double> p, ThreadPool& pool,
                          std::shared_ptr<StepCache> cache = {}, bool solved = true);

/// Tables with outside = "error" that the result asks for what they do not know, at points of the
/// requirements: a warning per residual and table, with how many points and how far.
Warnings beyond_tables(const Run& run, const std::shared_ptr<const Model>& model,
                       std::span<const double> p, ThreadPool& pool,
                       const std::shared_ptr<StepCache>& cache = {});

/// Warnings where a window of time, which `window` names, came to this, and the next one begins
/// there: nothing if there are no warnings and no field is estimated to be a tenth off, or more.
Warnings bad_beginning(const TrainResult& ended, const std::string& window);

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

/// True where a residual is more than 5e-3 of the terms that have to balance, or, where it is one
/// term, of what it was `first`, before training: less is no reason for an alarm, wherever it is
/// larger or smaller. True where there is nothing to compare it with.
bool is_worth_telling(const Balance& now, const Balance& first);

/// True where some field is estimated to be a hundredth off, or more.
bool is_estimated_wrong(const Trust& trust);

/// Warnings about residuals that are no small part of their equation's terms, and did not become
/// small since the run's `first` parameters either.
Warnings unbalanced(const std::vector<Balance>& result, const std::vector<Balance>& first);

/// A loss that is no longer finite.
struct Divergence {
  std::int64_t step = 0, stage = 0;  ///< steps made before it; the stage from 0
  Loss::Result loss;
  std::vector<LossTerm> terms;  ///< of that loss
  OptimizerOptions optimizer;   ///< of the stage
  std::string saved = {};       ///< where the last finite state is, or ""
  Warnings powers = {};         ///< of the problem: negative_powers
};

/// The step, the requirement and what to try.
Report report(const Divergence& divergence);

}  // namespace pinn
