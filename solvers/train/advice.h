#pragma once
#include "solvers/residual/loss.h"
#include "solvers/train/train.h"

namespace pinn {

/// What can be told of a result: each looks at one way in which it may be worth less than its loss
/// says, and gives a warning per case.

/// Errors larger than `[reference]` promises, and promises that no error was measured for.
///
///   errors  relative L2, by the name of what was compared
Warnings broken_promises(const Run& run, const std::vector<Distance>& errors);

/// Data that are fitted far below their noise: chi-square per point, about 1 for noise as large as
/// `sigma` says, is below a quarter. Only where sigma is known and there are enough points to tell.
///
///   found  the loss at the data themselves
Warnings learned_noise(const Run& run, const Loss::Result& found);

/// Fields that training has made constant, in a problem that u = 0 satisfies, and that asks for
/// nothing else.
Warnings trivial_solution(const Run& run, const std::shared_ptr<const Model>& model,
                          std::span<const double> p, ThreadPool& pool,
                          std::shared_ptr<StepCache> cache = {});

}  // namespace pinn
