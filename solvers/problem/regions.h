#pragma once
#include <memory>
#include <vector>

#include "solvers/problem/mistakes.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// The region that `on` names: a list of regions, all of one dimension, that do not overlap; each
/// is parts joined by `and`, a part is COORDINATE = CONSTANT, an inequality, `boundary` (all faces
/// in space that are not periodic by embedding) or `initial` (t at its lower end). A region in
/// exactly one face of space has its outward normal. Coordinates, constants and `periodic` of the
/// problem must be there already.
///
///   errors   ConfigError: spelling, outside of the domain, empty, overlapping, mixed dimensions
std::shared_ptr<const Region> parse_region(const std::vector<Text>& on, const Problem& problem);

/// The whole domain, an open box as far as points are concerned.
std::shared_ptr<const Region> interior(const Problem& problem);

/// The face of the domain at an end of a coordinate, with its normal if the coordinate is space.
std::shared_ptr<const Region> face(const Problem& problem, int coordinate, bool upper);

}  // namespace pinn
