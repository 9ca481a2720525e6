#include "data/geometry/surface_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pinn {
namespace {

using Bounds = std::vector<Interval>;

bool meet(const Bounds& a, const Bounds& b, double margin) {
  for (std::size_t c = 0; c < a.size(); ++c)
    if (!(a[c].lower <= b[c].upper + margin && b[c].lower <= a[c].upper + margin)) return false;
  return true;
}

/// The longest finite side.
double size_of(const Bounds& box) {
  double side = 0;
  for (const auto& [lower, upper] : box)
    if (std::isfinite(upper - lower)) side = std::max(side, upper - lower);
  return side;
}

/// True if a surface that passes near x does so along it: its normal is n or -n, but for an angle
/// of 1e-5. Of a shape without a distance one cannot tell, and takes it that it does.
bool coincide(const SpatialShape& shape, std::span<const double> x, std::span<const double> n) {
  if (shape.distance_kind() == DistanceKind::none) return true;
  double own[128], cosine = 0;
  shape.normal(x, {own, x.size()});
  for (std::size_t c = 0; c < x.size(); ++c) cosine += own[c] * n[c];
  return std::fabs(cosine) > 1 - 5e-11;
}

}  // namespace

SurfaceTest::SurfaceTest(std::shared_ptr<const ShapeFormula> formula)
    : formula_(std::move(formula)), neighbors_(formula_->leaves().size()) {
  std::vector<Bounds> boxes;
  for (const ShapePtr& leaf : formula_->leaves()) boxes.push_back(leaf->bounds());
  const double side = size_of(formula_->bounds().back());
  for (const Bounds& box : boxes) {
    const double own = size_of(box);
    steps_.push_back(1e-7 * (own > 0 ? std::min(own, side) : side));
  }
  // By their lower ends along the first coordinate: what begins after a box ends does not meet it.
  std::vector<std::size_t> order(boxes.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return boxes[a][0].lower < boxes[b][0].lower; });
  const double margin = 1e-6 * side;
  for (std::size_t k = 0; k < order.size(); ++k)
    for (std::size_t m = k + 1; m < order.size(); ++m) {
      const std::size_t a = order[k], b = order[m];
      if (boxes[b][0].lower > boxes[a][0].upper + margin) break;
      if (!meet(boxes[a], boxes[b], margin)) continue;
      neighbors_[a].push_back(b);
      neighbors_[b].push_back(a);
    }
  for (std::size_t leaf = 0; leaf < boxes.size(); ++leaf) {
    const std::vector<std::size_t>& others = neighbors_[leaf];
    std::vector<std::size_t> place(boxes.size());
    std::vector<bool> is_near(boxes.size());
    for (std::size_t k = 0; k <= others.size(); ++k) {
      const std::size_t near = k < others.size() ? others[k] : leaf;
      is_near[near] = true;
      place[near] = k;
    }
    parts_.push_back(formula_->part_of(is_near));
    for (ShapeFormula::Step& step : parts_.back().steps) step.leaf = place[step.leaf];
  }
}

int SurfaceTest::operator()(std::size_t leaf, std::span<const double> x,
                            std::span<const double> n) const {
  double below[128], above[128];
  for (std::size_t c = 0; c < x.size(); ++c) {
    below[c] = x[c] - steps_[leaf] * n[c];
    above[c] = x[c] + steps_[leaf] * n[c];
  }
  // By the places of leaves among the neighbors, the leaf itself last.
  const std::vector<std::size_t>& others = neighbors_[leaf];
  using Where = ShapeFormula::Where;
  std::pair<Where, Where> few[16];
  std::vector<std::pair<Where, Where>> many(others.size() < std::size(few) ? 0 : others.size() + 1);
  auto* both = many.empty() ? few : many.data();  // below and above
  both[others.size()] = {{true, true}, {false, false}};
  for (std::size_t k = 0; k < others.size(); ++k) {
    const std::size_t other = others[k];
    if (!formula_->near_leaf(other, x)) continue;
    const SpatialShape& shape = *formula_->leaves()[other];
    const double distance = shape.distance_kind() == DistanceKind::none ? 0 : shape.distance(x);
    if (std::fabs(distance) <= std::min(steps_[leaf], steps_[other]) && coincide(shape, x, n)) {
      both[k] = {formula_->in_leaf(other, {below, x.size()}),
                 formula_->in_leaf(other, {above, x.size()})};
      if (both[k].first.closed != both[k].second.closed && other < leaf) return 0;
    } else {
      both[k].first = both[k].second = {distance < 0, distance < 0};
    }
  }
  const auto in =
      ShapeFormula::evaluate(parts_[leaf], [&](std::size_t k) { return both[k].first; });
  const auto out =
      ShapeFormula::evaluate(parts_[leaf], [&](std::size_t k) { return both[k].second; });
  return int(in.closed) - int(out.closed);
}

SurfaceTest::Reach SurfaceTest::reach(std::size_t leaf, std::span<const double> x) const {
  Reach reach{std::numeric_limits<double>::infinity(), true};
  for (std::size_t other : neighbors_[leaf]) {
    const SpatialShape& shape = *formula_->leaves()[other];
    if (shape.distance_kind() == DistanceKind::none) return {0, false};
    const double distance = std::fabs(shape.distance(x));
    if (distance <= steps_[leaf]) return {0, false};
    reach.length = std::min(reach.length, distance);
  }
  return reach;
}

}  // namespace pinn
