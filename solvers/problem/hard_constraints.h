#pragma once
#include <string>
#include <vector>

#include "solvers/problem/mistakes.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// Whether the hard constraint of a field decides the value of the field, or of its derivative of
/// this order by a coordinate, at the points of a region whatever the network gives there. False
/// without a hard constraint.
bool decides(const Problem& problem, std::size_t field, const Region& region, int coordinate = 0,
             int order = 0);

/// Names of the residuals on regions that hard constraints make exact, whatever the network gives:
/// they vanish with two arbitrary functions in its place.
std::vector<std::string> exact_residuals(const Problem& problem);

/// A warning per residual on a region that hard constraints keep away from 0, whatever the network
/// and the unknowns are.
Warnings contradictions(const Problem& problem);

}  // namespace pinn
