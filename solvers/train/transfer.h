#pragma once
#include <span>
#include <string>
#include <vector>

#include "autograd/core/parallel.h"
#include "solvers/residual/model.h"
#include "solvers/state/run.h"
#include "solvers/state/state.h"

namespace pinn {

/// Parameters that bring a network close to another run's fields, and what was done, in words.
struct Transfer {
  std::vector<double> parameters;
  std::string text;
};

/// Fits the networks of a model to the fields of another run that it has too, by name, and to the
/// derivatives of these that its requirements ask for: least squares at points of all requirements,
/// each quantity over its root mean square. Where this problem has more coordinates, the fields do
/// not depend on them at first; places beyond the other run's are left out.
///
///   start    [P]: parameters to begin with
///   other    the run as its checkpoint has it, and the state out of that
///   errors   ConfigError where there is no such field, coordinate or place; for pieces
Transfer transferred(const Run& run, const Model& model, std::span<const double> start,
                     const Run& other, const TrainState& state, ThreadPool& pool);

}  // namespace pinn
