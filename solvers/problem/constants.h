#pragma once
#include <map>
#include <string>

#include "solvers/problem/problem.h"

namespace pinn {

/// The problem with other values of some constants: in its residuals and defines, and in constants
/// that are written with them. Its domain, regions, unknowns and hard constraints stay as they are,
/// and so do residuals that have no text.
///
///   errors   ConfigError when some formula means nothing with these values
Problem with_constants(const Problem& problem, const std::map<std::string, double>& values);

}  // namespace pinn
