#pragma once
#include "solvers/problem/mistakes.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// Coordinates a problem can have: one to six, finite intervals, at most one time.
///
///   errors   ConfigError with all that is wrong
void check_coordinates(const std::vector<Coordinate>& coordinates);

/// What a problem must satisfy as a whole, once all its parts are read: something is asked of every
/// field, every residual asks something, data columns and N are used, names of requirements differ.
///
///   errors   ConfigError with all that is wrong; what is only suspicious goes to `warnings`
void validate(const Problem& problem, Warnings& warnings);

}  // namespace pinn
