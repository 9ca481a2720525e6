#pragma once
#include <optional>

#include "data/geometry/mesh/bvh.h"
#include "data/geometry/mesh/crossing.h"

namespace pinn::mesh {

/// A direction along a coordinate.
struct Way {
  int axis;
  bool up;
};

/// How a ray passes a triangle: 1 where it leaves what the triangle bounds, -1 where it enters, 0
/// beside it; `unsure` where rounding would decide.
int passage(const Corners& t, const Vector& x, Way way);

/// The sum of the passages of a ray through the triangles that wanted(place in order) names: how
/// often they wind around its beginning. None where it cannot be told, because the ray meets an
/// edge or a corner, or begins on a triangle.
template <class Wanted>
std::optional<int> winding(const Bvh& bvh, const Vector& x, Way way, Wanted&& wanted) {
  const int i = (way.axis + 1) % 3, j = (way.axis + 2) % 3, k = way.axis;
  int sum = 0;
  bool sure = true;
  bvh.walk(
      [&](const Bvh::Node& n) {
        return n.lower[i] <= x[i] && x[i] <= n.upper[i] && n.lower[j] <= x[j] &&
               x[j] <= n.upper[j] && (way.up ? n.upper[k] >= x[k] : n.lower[k] <= x[k]);
      },
      [&](int place) {
        if (!wanted(place)) return true;
        const int passed = passage(bvh.corners()[std::size_t(place)], x, way);
        sure = passed != unsure;
        sum += passed;
        return sure;
      });
  return sure ? std::optional(sum) : std::nullopt;
}

}  // namespace pinn::mesh
