#pragma once
#include "solvers/residual/points.h"
#include "solvers/train/run.h"

namespace pinn {

/// The points of requirement r: those of its data, or the draw-th ones from its region. `purpose`
/// separates training points from held-out ones.
PointSet points_of(const Run& run, std::size_t r, const std::string& purpose, std::uint32_t draw);

/// A few points that hold what those of requirement r hold, for a plan: the least that can be
/// drawn.
PointSet sample_points(const Run& run, std::size_t r);

/// Points to judge a model by that training never sees: as many, at least 200. Fewer would miss
/// thin fronts and rank models by luck. Data are judged by themselves: there are no others.
PointSet held_out_points(const Run& run, std::size_t r);

/// The points of a CSV or HDF5 file with a column per coordinate.
PointSet file_points(const Problem& problem, const std::string& path);

/// The positions along each coordinate of a grid, both ends included.
std::vector<std::vector<double>> grid_axes(const Problem& problem, const std::vector<int>& counts);
/// Points begin ... end - 1 of every combination of positions, the last coordinate fastest; by
/// default all.
PointSet grid_points(const std::vector<std::vector<double>>& axes, std::size_t begin = 0,
                     std::size_t end = std::size_t(-1));

}  // namespace pinn
