#pragma once
#include <vector>

#include "autograd/core/random.h"
#include "data/geometry/region.h"
#include "data/geometry/simplices.h"
#include "solvers/problem/expression.h"
#include "solvers/residual/points.h"
#include "solvers/state/run.h"
#include "solvers/state/state.h"

namespace pinn {

/// The points of requirement r: those of its data, or the draw-th ones from its region. `purpose`
/// separates training points from held-out ones.
PointSet points_of(const Run& run, std::size_t r, const std::string& purpose, std::uint32_t draw);

/// How many points requirement r has at first: of integrals their nodes, at a single place one,
/// whatever was asked for.
std::size_t point_count(const Run& run, std::size_t r);

/// The points of requirement r that training uses: those that it chose, or the draw's. The weights
/// of the draw are on top of those that points have of their own, by the problem's formulas.
PointSet points_in_use(const Run& run, std::size_t r, const Draw& draw);

/// Points among which adaptive sampling chooses those of requirement r: so many, spread uniformly
/// over its region, whatever method draws its own; anew for each draw.
PointSet candidates_of(const Run& run, std::size_t r, int count, std::uint32_t draw);

/// A few points that hold what those of requirement r hold, for a plan: the least that can be
/// drawn.
PointSet sample_points(const Run& run, std::size_t r);

/// Points to judge a model by that training never sees: as many, at least 200. Fewer would miss
/// thin fronts and rank models by luck. Data are judged by themselves: there are no others.
PointSet held_out_points(const Run& run, std::size_t r);

/// So many points of requirement r that neither training nor its judge sees; others for each draw.
/// Data are what they are.
PointSet fresh_points(const Run& run, std::size_t r, int count, std::uint32_t draw);

/// Weights of `count` points times others, each [count, 1 or residuals] or empty for 1.
std::vector<double> both_weights(std::size_t count, const std::vector<double>& a,
                                 const std::vector<double>& b);

/// The points of a CSV or HDF5 file with a column per coordinate.
PointSet file_points(const Problem& problem, const std::string& path);

/// The unit vectors of so many coordinates in space, all different and drawn for a step,
/// [count, coordinates].
std::vector<double> directions_for(const Run& run, int count, std::int64_t step);

/// The positions along each coordinate of a grid.
std::vector<std::vector<double>> grid_axes(const Problem& problem,
                                           const std::vector<GridAxis>& grid);
/// Points begin ... end - 1 of every combination of positions, the last coordinate fastest; by
/// default all.
PointSet grid_points(const std::vector<std::vector<double>>& axes, std::size_t begin = 0,
                     std::size_t end = std::size_t(-1));

/// Points taken in turn, at most `size` for a step: all of them in a random order, cut into batches
/// of nearly one size; then in another order.
class Batches {
 public:
  /// `random` without a draw: that counts the orders.
  Batches(PointSet points, std::size_t size, const Random& random);

  /// The batch of a step: a function of its number.
  PointSet at(std::int64_t step);

 private:
  void take_order(std::uint32_t number);

  PointSet points_;
  std::size_t batches_;
  Random random_;
  std::vector<std::size_t> order_;  ///< number random_.draw; empty before the first
};

/// Points that see all of some formulas, with weights that make means over them integrals.
struct WeightedPoints {
  std::size_t count = 0;
  std::vector<double> x;        ///< [count, coordinates]
  std::vector<double> weights;  ///< the shares of the box that they stand for; their sum is 1
};

/// Cuts the box into `count` cells, one half at a time, and takes a point of each. Every second cut
/// halves the largest cell; the others halve the cell on which a formula changes most, along the
/// coordinate that it changes with. Ranges of the formulas (evaluate.h) lead there, so
/// a layer or a peak of any width is found, wherever it is. Coordinates that the box fixes stay
/// fixed. The points are a function of the arguments alone.
///
///   averaged  coordinates over which means are to be taken: the points come in sets that agree in
///             all others. Empty: none.
WeightedPoints formula_points(const std::vector<ExpressionPtr>& formulas,
                              const std::vector<Interval>& box, std::size_t count,
                              const std::vector<bool>& averaged = {});

/// A region at one value of time, cut into simplices.
struct RegionMesh {
  double time = 0;
  PointSet points;  ///< of all coordinates, with normals where the region has any
  std::size_t corners = 0;
  std::vector<std::int64_t> cells;
};

/// A region at the moments of a grid, as fine as that is in space: its interior, a plane, its
/// surface. Corners of the mesh lie on the surface of shapes to rounding; curves in the plane that
/// do not move keep their corners.
///
///   errors   ConfigError where a parameter is not fixed, or nothing is left
std::vector<RegionMesh> region_meshes(const Problem& problem, const Region& region,
                                      const std::vector<GridAxis>& grid);

}  // namespace pinn
