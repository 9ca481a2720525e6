#pragma once
#include <map>
#include <string>
#include <vector>

#include "solvers/problem/problem.h"

namespace pinn {

/// The problem with other values of some constants: in its residuals and defines, and in constants
/// that are written with them. All these are marked as varying. Its domain, regions, unknowns and hard constraints stay as they are,
/// and so do residuals that have no text.
///
///   errors   ConfigError when some formula means nothing with these values
Problem with_constants(const Problem& problem, const std::map<std::string, double>& values);

// `initial(u)` and `initial(t)` in a hard constraint stand as calls of "initial" until they are
// given a meaning, which is another in every window of time.

/// True if a hard constraint says initial(...).
bool says_initial(const ExpressionPtr& output);

/// The fields whose initial value it says.
std::vector<int> initial_fields(const ExpressionPtr& output);

/// A hard constraint with the lower end of time in the place of initial(t), and for initial(u) the
/// formula of that number.
ExpressionPtr with_initial(const ExpressionPtr& output, double time,
                           const std::vector<ExpressionPtr>& values);

/// Initial value that the requirements of a problem give a field, on all of the lower end of time:
/// f of u = f, as a formula there; null if none gives it so.
ExpressionPtr initial_value(const Problem& problem, int field);

/// True if a formula asks for fields at other places along a coordinate; where that is time, they
/// may lie in another window.
bool asks_elsewhere(const Expression& e, int coordinate);

}  // namespace pinn
