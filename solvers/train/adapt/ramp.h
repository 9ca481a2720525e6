#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "solvers/state/run.h"

namespace pinn {

/// The constants that some stage ramps, in the order of the problem.
std::vector<std::string> ramped_constants(const Run& run);

/// The values of a stage's ramped constants after so many of its steps; where it has fewer steps
/// than levels, it has as many levels as steps. From `from` to the constant's own value c, as level
/// i of n has it:
///
///   from (c / from)^(i / (n - 1)),   or   from + (c - from) i / (n - 1)
///
/// the second where there is no such power: signs differ, or one is 0.
std::map<std::string, double> ramped_values(const Run& run, const Stage& stage, std::int64_t step);

/// The first step of the next level of any of them; the stage's steps at the last level.
std::int64_t next_level(const Stage& stage, std::int64_t step);

/// True if every constant has its own value after so many steps.
bool is_ramp_over(const Stage& stage, std::int64_t step);

}  // namespace pinn
