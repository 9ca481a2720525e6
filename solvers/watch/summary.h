#pragma once
#include <string>

#include "solvers/results/results.h"
#include "solvers/state/state.h"

namespace pinn {

/// The outcome of a run, for who looks closely: the networks of its windows, its residuals
/// where it was trained and where not, in parts of the domain, its errors and where they are.
std::string summary(const TrainResult& result);

/// The same for everyone: where that is not the last network, which one it is; what it found, a
/// number in a line; and three lines: its error, what speaks for that, and where to look.
std::string closing(const TrainResult& result);

/// How a run stands and what one can do with it, in a few lines, from its checkpoint and its
/// status.json; for a run folder as the only argument.
///
///   errors   ConfigError when the folder holds no run
std::string status(const std::string& folder);

}  // namespace pinn
