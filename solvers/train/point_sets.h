#pragma once
#include "solvers/residual/points.h"
#include "solvers/train/run.h"

namespace pinn {

/// The points of requirement r: those of its data, or the draw-th ones from its region. `purpose`
/// separates training points from held-out ones.
PointSet points_of(const Run& run, std::size_t r, const std::string& purpose, std::uint32_t draw);

/// Points to judge a model by that training never sees: as many, at least 200. Fewer would miss
/// thin fronts and rank models by luck. Data are judged by themselves: there are no others.
PointSet held_out_points(const Run& run, std::size_t r);

/// The points of a CSV or HDF5 file with a column per coordinate.
PointSet file_points(const Problem& problem, const std::string& path);

/// Every combination of the grid's positions, the last coordinate fastest; both ends included.
struct Grid {
  std::vector<std::vector<double>> axes;
  PointSet points;
};
Grid grid_points(const Problem& problem, const std::vector<int>& counts);

}  // namespace pinn
