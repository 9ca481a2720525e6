#include "data/geometry/shapes/outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/geometry/shapes/kinds.h"

namespace pinn::shapes {
namespace {

bool same(Corner a, Corner b) { return a.x == b.x && a.y == b.y; }

std::string told(const Corners& all, std::size_t k) {
  k %= all.size();
  return fmt::format("corner {} ({}, {})", k + 1, all[k].x, all[k].y);
}

std::string told_edge(const Corners& all, std::size_t k) {
  return fmt::format("the edge from {} to {}", told(all, k), told(all, k + 1));
}

Corners corners_of(const std::vector<double>& numbers, const std::string& argument) {
  Corners all;
  for (std::size_t k = 0; k + 1 < numbers.size(); k += 2)
    all.push_back({numbers[k], numbers[k + 1]});
  if (all.size() > 3 && same(all.front(), all.back())) all.pop_back();
  if (all.size() < 3)
    refuse(argument, fmt::format("a polygon has {} corners", all.size()), "give at least 3");
  const auto next = [&](std::size_t k) { return all[(k + 1) % all.size()]; };
  for (std::size_t k = 0; k < all.size(); ++k)
    if (same(all[k], next(k)))
      refuse(argument, fmt::format("{} stands twice in a row", told(all, k)), "leave one out");
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Corner a = all[k], b = next(k), c = next(k + 1);
    const double ux = b.x - a.x, uy = b.y - a.y, vx = c.x - b.x, vy = c.y - b.y;
    if (ux * vy == uy * vx && ux * vx + uy * vy < 0)
      refuse(argument, fmt::format("at {} a polygon goes back the way it came", told(all, k + 1)),
             "leave the corner out, or move it off the edge");
  }
  return all;
}

double twice_area(const Corners& all) {
  double sum = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Corner a = all[k], b = all[(k + 1) % all.size()], o = all[0];
    sum += (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  }
  return sum;
}

}  // namespace

Outline::Outline(const std::vector<double>& numbers, const std::string& argument) {
  const Corners given = corners_of(numbers, argument);
  corners_ = given;
  const bool turned = twice_area(given) < 0;
  if (turned) std::reverse(corners_.begin(), corners_.end());
  Sweep swept = sweep(corners_);
  const std::size_t n = corners_.size();
  if (swept.crosses) {
    if (turned) {
      swept.first = (2 * n - 2 - swept.first) % n;
      swept.second = (2 * n - 2 - swept.second) % n;
      if (swept.first > swept.second) std::swap(swept.first, swept.second);
    }
    refuse(argument,
           fmt::format("a polygon crosses or touches itself: {} meets {}",
                       told_edge(given, swept.first), told_edge(given, swept.second)),
           "order the corners along the outline; make two polygons of one that touches itself");
  }
  trapezoids_ = std::move(swept.trapezoids);

  double area = 0, length = 0;
  const auto height = [&](std::size_t edge, double x) {
    const Corner a = corners_[edge], b = next(edge);
    return a.y + (x - a.x) / (b.x - a.x) * (b.y - a.y);
  };
  for (const Trapezoid& t : trapezoids_) {
    const double left = height(t.top, t.left) - height(t.bottom, t.left),
                 right = height(t.top, t.right) - height(t.bottom, t.right);
    area_sums_.push_back(area += std::max((t.right - t.left) * (left + right) / 2, 0.0));
  }
  for (std::size_t k = 0; k < n; ++k)
    length_sums_.push_back(length +=
                           std::hypot(next(k).x - corners_[k].x, next(k).y - corners_[k].y));
  if (!(area > 1e-200))
    refuse(argument, fmt::format("a polygon has the area {}", area), "move its corners apart");
  std::vector<std::size_t> edges(n);
  std::iota(edges.begin(), edges.end(), std::size_t{0});
  tree_ = EdgeTree(corners_, edges);
}

std::vector<Interval> Outline::bounds() const {
  std::vector<Interval> box{{corners_[0].x, corners_[0].x}, {corners_[0].y, corners_[0].y}};
  for (const Corner& c : corners_) {
    box[0] = {std::min(box[0].lower, c.x), std::max(box[0].upper, c.x)};
    box[1] = {std::min(box[1].lower, c.y), std::max(box[1].upper, c.y)};
  }
  return box;
}

Corner Outline::normal_of(std::size_t edge) const {
  const Corner a = corners_[edge], b = next(edge);
  const double size = std::hypot(b.x - a.x, b.y - a.y);
  return {(b.y - a.y) / size, (a.x - b.x) / size};
}

/// Within an edge the side of its line decides; at a corner the sum of both edges' normals.
bool Outline::beyond(const NearestEdge& nearest, Corner x) const {
  const std::size_t n = corners_.size();
  const Corner normal = normal_of(nearest.edge);
  Corner out = normal, from = corners_[nearest.edge];
  if (nearest.at == 0 || nearest.at == 1) {
    if (nearest.at == 1) from = next(nearest.edge);
    const Corner other = normal_of((nearest.edge + (nearest.at == 1 ? 1 : n - 1)) % n);
    out = {normal.x + other.x, normal.y + other.y};
  }
  return out.x * (x.x - from.x) + out.y * (x.y - from.y) > 0;
}

double Outline::distance(Corner x) const {
  const NearestEdge nearest = tree_.nearest(x);
  const double size = std::sqrt(nearest.square);
  return beyond(nearest, x) ? size : -size;
}

Corner Outline::normal(Corner x) const {
  const NearestEdge nearest = tree_.nearest(x);
  const Corner from = nearest.at == 1 ? next(nearest.edge) : corners_[nearest.edge];
  const double dx = x.x - from.x, dy = x.y - from.y, size = std::hypot(dx, dy);
  const double reach = std::fabs(from.x) + std::fabs(from.y);
  const bool at_corner = nearest.at == 0 || nearest.at == 1;
  if (!at_corner || size <= 1e-12 * reach || size == 0) return normal_of(nearest.edge);
  const double sign = beyond(nearest, x) ? 1 : -1;
  return {sign * dx / size, sign * dy / size};
}

}  // namespace pinn::shapes
