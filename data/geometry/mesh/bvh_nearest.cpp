#include "data/geometry/mesh/bvh.h"

namespace pinn::mesh {
namespace {

/// The square of the distance to a box; 0 within.
double square_to(const Bvh::Node& node, const Vector& x) {
  double square = 0;
  for (int k = 0; k < 3; ++k) {
    const double d = std::max(std::max(node.lower[k] - x[k], x[k] - node.upper[k]), 0.0);
    square += d * d;
  }
  return square;
}

struct PlaceOn {
  double v, w;  ///< weights of the corners 1 and 2
  Feature feature;
};

/// The regions of the plane around a triangle: of its corners, its sides, and itself.
/// source: Ericson (2005), Real-Time Collision Detection, section 5.1.5
PlaceOn place_on(const Corners& t, const Vector& x) {
  const Vector ab = t[1] - t[0], ac = t[2] - t[0], ax = x - t[0], bx = x - t[1], cx = x - t[2];
  const double d1 = dot(ab, ax), d2 = dot(ac, ax);
  if (d1 <= 0 && d2 <= 0) return {0, 0, Feature::corner_0};
  const double d3 = dot(ab, bx), d4 = dot(ac, bx);
  if (d3 >= 0 && d4 <= d3) return {1, 0, Feature::corner_1};
  const double d5 = dot(ab, cx), d6 = dot(ac, cx);
  if (d6 >= 0 && d5 <= d6) return {0, 1, Feature::corner_2};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {d1 / (d1 - d3), 0, Feature::side_0};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {0, d2 / (d2 - d6), Feature::side_2};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 >= d3 && d5 >= d6) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {1 - w, w, Feature::side_1};
  }
  const double sum = va + vb + vc;
  return {vb / sum, vc / sum, Feature::face};
}

}  // namespace

Nearest nearest_on(const Corners& t, const Vector& x) {
  const PlaceOn at = place_on(t, x);
  Nearest found{.square = 0, .point = t[0], .triangle = -1, .feature = at.feature};
  if (at.feature == Feature::corner_1) found.point = t[1];
  if (at.feature == Feature::corner_2) found.point = t[2];
  if (at.feature < Feature::corner_0)
    found.point = t[0] + at.v * (t[1] - t[0]) + at.w * (t[2] - t[0]);
  const Vector away = x - found.point;
  found.square = dot(away, away);
  return found;
}

Nearest Bvh::nearest(const Vector& x, double within) const {
  Nearest best{.square = within * within};
  if (nodes_.empty()) return best;
  struct Entry {
    double square;
    int node;
  };
  Entry stack[deepest];
  int size = 0, at = 0;
  for (;;) {
    const Node& node = nodes_[std::size_t(at)];
    for (int i = node.first; i < node.first + node.count; ++i) {
      Nearest found = nearest_on(corners_[std::size_t(i)], x);
      if (found.square >= best.square) continue;
      found.triangle = i;
      best = found;
    }
    at = -1;
    if (node.count == 0) {
      Entry near{square_to(nodes_[std::size_t(node.first)], x), node.first},
          far{square_to(nodes_[std::size_t(node.first) + 1], x), node.first + 1};
      if (far.square < near.square) std::swap(near, far);
      if (far.square < best.square) stack[size++] = far;
      if (near.square < best.square) at = near.node;
    }
    while (at < 0 && size > 0)
      if (stack[--size].square < best.square) at = stack[size].node;
    if (at < 0) return best;
  }
}

}  // namespace pinn::mesh
