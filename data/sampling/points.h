#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/geometry/region.h"
#include "data/sampling/density.h"
#include "data/sampling/draw.h"

namespace pinn {

/// Points of one requirement. Row-major, float64.
struct Points {
  int coordinates = 0;
  std::size_t count = 0;
  std::vector<double> x;        ///< [count, coordinates]
  std::vector<double> normals;  ///< [count, coordinates], or empty when the region has none
  double measure = 1;           ///< of the region they were drawn from
  /// [count], 1 in the mean: with them means over the points are means over the region; empty: 1.
  std::vector<double> weights = {};
};

struct SamplingOptions {
  int count = 1000;              ///< points asked for
  std::string method = "sobol";  ///< uniform | grid | lhs | halton | hammersley | sobol
  int redraw = 0;                ///< draw anew every so many steps; 0: never
  bool adaptive = true;          ///< a stage's adaptive sampling may choose them
  /// How densely they lie at a point, up to a factor: above 0 and finite. Null: evenly.
  Density density = nullptr;
  /// They are these, and nothing is drawn.
  std::shared_ptr<const Points> given = nullptr;
};

/// Draws points: a pure function of its arguments, the same on every machine.
/// `stream` is stream(requirement name, "points"); `draw` counts redraws.
///
///   count   a region of dimension 0 gives one point; a union splits options.count by measure, at
///           least one point for each part; a grid may give fewer (data/sampling/sequence.h)
///   order   part by part, in the order of region.parts()
///   errors  ConfigError for a count below 1, an unknown method, too many dimensions for "sobol", a
///           grid with a density; what the density throws
Points draw_points(const Region& region, const SamplingOptions& options, std::uint64_t seed,
                   std::uint64_t stream, std::uint32_t draw);

/// `count` split in proportion to the measures by largest remainders, at least 1 each.
std::vector<int> split_by_measure(int count, const std::vector<double>& measures);

}  // namespace pinn
