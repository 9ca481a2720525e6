#pragma once
#include <string>
#include <vector>

#include "autograd/core/random.h"
#include "data/geometry/shape.h"

namespace pinn {

/// Points of a set. Row-major.
struct Drawn {
  std::size_t count = 0;
  std::vector<double> x, normals;  ///< [count, dimension]; normals empty where none were asked for
};

/// Points of a set by a sampling method: where the set refuses candidates, as many more are taken
/// from the method's sequence in the unit cube, and the surplus, a few percent, is left out evenly
/// along it. So they keep the spacing of the sequence. A grid, whose cells outside are left out,
/// is the largest that gives `count` points at most. A point is one, whatever `count` says.
///
///   errors   ConfigError for an unknown method, and where less than one in 10 000 candidates is
///            kept
Drawn draw(const Sampler& set, const std::string& method, int count, const Random& random,
           bool normals);

/// The names of the methods, in the order of the documentation.
std::vector<std::string> sampling_methods();

}  // namespace pinn
