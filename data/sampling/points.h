#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "data/geometry/region.h"

namespace pinn {

/// Points of one requirement. Row-major, float64.
struct Points {
  int coordinates = 0;
  std::size_t count = 0;
  std::vector<double> x;        ///< [count, coordinates]
  std::vector<double> normals;  ///< [count, coordinates], or empty when the region has none
  double measure = 1;           ///< of the region they were drawn from
};

struct SamplingOptions {
  int count = 1000;              ///< points drawn; a region of dimension 0 gives one
  std::string method = "sobol";  ///< uniform | grid | lhs | halton | hammersley | sobol
  int redraw = 0;                ///< draw anew every so many steps; 0: never
};

/// Draws points: a pure function of its arguments, the same on every machine.
/// `stream` is stream(requirement name, "points"); `draw` counts redraws.
Points draw_points(const Region& region, const SamplingOptions& options, std::uint64_t seed,
                   std::uint64_t stream, std::uint32_t draw);

}  // namespace pinn
