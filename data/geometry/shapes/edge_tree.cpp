#include <algorithm>
#include <limits>

#include "data/geometry/shapes/outline.h"

namespace pinn::shapes {
namespace {

/// Square of the distance from a box.
double square_from(Corner x, Corner lower, Corner upper) {
  const double dx = std::max({lower.x - x.x, x.x - upper.x, 0.0}),
               dy = std::max({lower.y - x.y, x.y - upper.y, 0.0});
  return dx * dx + dy * dy;
}

}  // namespace

EdgeTree::EdgeTree(const Corners& corners, std::vector<std::size_t> edges)
    : corners_(corners), edges_(std::move(edges)) {
  boxes_.emplace_back();
  fill(0, 0, edges_.size());
}

void EdgeTree::fill(std::size_t at, std::size_t first, std::size_t last) {
  const double huge = std::numeric_limits<double>::infinity();
  Box box{{huge, huge}, {-huge, -huge}, first, last};
  const auto middle = [&](std::size_t edge) {
    const Corner a = corners_[edge], b = corners_[(edge + 1) % corners_.size()];
    return Corner{a.x + b.x, a.y + b.y};
  };
  for (std::size_t k = first; k < last; ++k)
    for (std::size_t end : {edges_[k], edges_[k] + 1}) {
      const Corner c = corners_[end % corners_.size()];
      box.lower = {std::min(box.lower.x, c.x), std::min(box.lower.y, c.y)};
      box.upper = {std::max(box.upper.x, c.x), std::max(box.upper.y, c.y)};
    }
  if (last - first > 4) {
    const bool wide = box.upper.x - box.lower.x > box.upper.y - box.lower.y;
    const std::size_t half = first + (last - first) / 2;
    const auto begin = edges_.begin();
    std::nth_element(begin + std::ptrdiff_t(first), begin + std::ptrdiff_t(half),
                     begin + std::ptrdiff_t(last), [&](std::size_t a, std::size_t b) {
                       return wide ? middle(a).x < middle(b).x : middle(a).y < middle(b).y;
                     });
    box.left = boxes_.size();
    boxes_.resize(boxes_.size() + 2);
    boxes_[at] = box;
    fill(box.left, first, half);
    fill(box.left + 1, half, last);
  }
  boxes_[at] = box;
}

NearestEdge EdgeTree::on(std::size_t edge, Corner x) const {
  const Corner a = corners_[edge], b = corners_[(edge + 1) % corners_.size()];
  const double ux = b.x - a.x, uy = b.y - a.y, vx = x.x - a.x, vy = x.y - a.y;
  const double size = ux * ux + uy * uy, at = (ux * vx + uy * vy) / size;
  if (at <= 0) return {edge, 0, vx * vx + vy * vy};
  const double wx = x.x - b.x, wy = x.y - b.y;
  if (at >= 1) return {edge, 1, wx * wx + wy * wy};
  const double cross = ux * vy - uy * vx;
  return {edge, at, cross * cross / size};
}

NearestEdge EdgeTree::nearest(Corner x) const {
  NearestEdge best{0, 0, std::numeric_limits<double>::infinity()};
  if (edges_.empty()) return best;
  std::pair<double, std::size_t> waiting[128];  // of boxes, two for each halving
  std::size_t count = 0;
  waiting[count++] = {0, 0};
  while (count > 0) {
    const auto [least, at] = waiting[--count];
    if (least > best.square) continue;
    const Box& box = boxes_[at];
    if (box.left == 0) {
      for (std::size_t k = box.first; k < box.last; ++k) {
        const NearestEdge here = on(edges_[k], x);
        if (here.square < best.square || (here.square == best.square && here.edge < best.edge))
          best = here;
      }
      continue;
    }
    std::pair<double, std::size_t> two[2];
    for (std::size_t k : {0, 1}) {
      const Box& part = boxes_[box.left + k];
      two[k] = {square_from(x, part.lower, part.upper), box.left + k};
    }
    if (two[0].first < two[1].first) std::swap(two[0], two[1]);
    waiting[count++] = two[0];
    waiting[count++] = two[1];
  }
  return best;
}

}  // namespace pinn::shapes
