#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/geometry/region.h"

namespace pinn {

/// Simplices that meet in whole faces: points, segments, triangles or tetrahedra.
struct Simplices {
  std::size_t dimension = 0;        ///< coordinates of a point
  std::size_t corners = 0;          ///< of a simplex
  std::vector<double> points;       ///< [points, dimension]
  std::vector<std::int64_t> cells;  ///< [simplices, corners], numbers of points
  std::vector<bool> on_surface;     ///< per point, of what was filled; else empty

  std::size_t point_count() const { return points.size() / dimension; }
  std::size_t count() const { return cells.size() / corners; }
};

/// Position of a place: off the surface of a closed set, or on it.
enum class Side { inside, on, outside };

/// Part of a box that lies in a closed set. Cells of a regular grid are cut into simplices as Kuhn
/// did, and these where the set ends: corners that are not the grid's lie on its surface to
/// rounding, and so no simplex reaches beyond a convex one. What is thinner than a cell may be
/// missed, and edges of the surface between places of the grid are cut off.
///
///   box     up to three intervals that are not fixed, and any that are
///   cells   along each, at least 1; of fixed ones it is not read
///   source  Kuhn (1960), Some combinatorial lemmas in topology, IBM Journal 4, 518-524
Simplices filled(const std::function<Side(std::span<const double>)>& side,
                 const std::vector<Interval>& box, const std::vector<int>& cells);

/// The faces that belong to one simplex alone: the surface of what these fill. The points that no
/// face has are left out.
Simplices faces_of(const Simplices& whole);

/// Those all of whose corners are kept, and their points.
Simplices kept(const Simplices& all, const std::function<bool(std::span<const double>)>& keeps);

}  // namespace pinn
