#include "data/geometry/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "autograd/core/error.h"

namespace pinn {
namespace {

/// A box with room for rounding, and for what coincides with its sides (surface_test.h).
std::vector<Interval> loose(std::vector<Interval> box) {
  double size = 0;
  for (const auto& [lower, upper] : box)
    if (std::isfinite(upper - lower)) size = std::max(size, upper - lower);
  for (auto& [lower, upper] : box) {
    const double reach = std::max(std::fabs(lower), std::fabs(upper));
    const double margin = 1e-6 * size + (std::isfinite(reach) ? 1e-12 * reach : 0);
    lower -= margin;
    upper += margin;
  }
  return box;
}

}  // namespace

ShapeFormula::ShapeFormula(ShapePtr leaf) : steps_{{Act::leaf, 0, 0}} {
  boxes_.push_back(loose(leaf->bounds()));
  leaves_.push_back(std::move(leaf));
}

ShapeFormula ShapeFormula::of(std::vector<ShapePtr> leaves) const {
  ShapeFormula same = *this;
  same.leaves_ = std::move(leaves);
  for (std::size_t k = 0; k < same.leaves_.size(); ++k)
    same.boxes_[k] = loose(same.leaves_[k]->bounds());
  return same;
}

void ShapeFormula::require_shapes(std::size_t count) {
  if (count > most_shapes)
    throw ConfigError({fmt::format("a region is made of more than {} shapes", most_shapes), "",
                       "make a polygon or a mesh of them"});
}

void ShapeFormula::append(const ShapeFormula& other, Act act) {
  if (dimension() != other.dimension())
    throw ConfigError({fmt::format("shapes of {} and of {} dimensions are joined", dimension(),
                                   other.dimension()),
                       "", "join shapes of the same coordinates"});
  require_shapes(shapes() + other.shapes());
  // The shorter list is looked up, so that thousands of shapes may be joined one by one.
  const bool swap = leaves_.size() > other.leaves_.size();
  const std::vector<ShapePtr>&few = swap ? other.leaves_ : leaves_,
        &many = swap ? leaves_ : other.leaves_;
  std::unordered_map<const SpatialShape*, std::size_t> known;
  for (std::size_t k = 0; k < few.size(); ++k) known[few[k].get()] = k;
  const std::size_t unknown = few.size() + many.size();
  std::vector<std::size_t> number(other.leaves_.size(), unknown);
  for (std::size_t k = 0; k < many.size(); ++k)
    if (const auto found = known.find(many[k].get()); found != known.end())
      (swap ? number[found->second] : number[k]) = swap ? k : found->second;
  for (std::size_t k = 0; k < number.size(); ++k) {
    if (number[k] != unknown) continue;
    number[k] = leaves_.size();
    leaves_.push_back(other.leaves_[k]);
    boxes_.push_back(other.boxes_[k]);
  }
  const std::size_t shift = steps_.size();
  for (Step step : other.steps_) {
    step.first += shift;
    if (step.act == Act::leaf) step.leaf = number[step.leaf];
    steps_.push_back(step);
  }
  steps_.push_back({act, 0, 0});
  depth_ = std::max(depth_, 1 + other.depth_);
}

ShapeFormula::Where ShapeFormula::joined(Act act, Where a, Where b) {
  if (act == Act::unite) return {a.closed || b.closed, a.open || b.open};
  if (act == Act::intersect) return {a.closed && b.closed, a.open && b.open};
  return {a.closed && !b.open, a.open && !b.closed};
}

bool ShapeFormula::near_leaf(std::size_t leaf, std::span<const double> x) const {
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto [lower, upper] = boxes_[leaf][k];
    if (!(x[k] >= lower && x[k] <= upper)) return false;
  }
  return true;
}

ShapeFormula::Where ShapeFormula::in_leaf(std::size_t leaf, std::span<const double> x) const {
  if (!near_leaf(leaf, x)) return {};
  if (leaves_[leaf]->distance_kind() == DistanceKind::none) {
    const bool in = leaves_[leaf]->inside(x);
    return {in, in};
  }
  const double distance = leaves_[leaf]->distance(x);
  return {distance <= 0, distance < 0};
}

ShapeFormula::Nearest ShapeFormula::nearest(std::span<const double> x) const {
  std::vector<double> distances;
  for (const ShapePtr& leaf : leaves_) distances.push_back(leaf->distance(x));
  std::vector<Nearest> stack;
  for (const Step& step : steps_) {
    if (step.act == Act::leaf) {
      stack.push_back({distances[step.leaf], step.leaf, 1});
      continue;
    }
    Nearest b = stack.back();
    stack.pop_back();
    Nearest& a = stack.back();
    if (step.act == Act::subtract) b = {-b.distance, b.leaf, -b.side};
    const bool second = step.act == Act::unite ? b.distance < a.distance : b.distance > a.distance;
    if (second) a = b;
  }
  return stack.back();
}

DistanceKind ShapeFormula::distance_kind() const {
  for (const ShapePtr& leaf : leaves_)
    if (leaf->distance_kind() == DistanceKind::none) return DistanceKind::none;
  return DistanceKind::bound;
}

std::vector<std::vector<Interval>> ShapeFormula::bounds() const {
  std::vector<std::vector<Interval>> boxes(steps_.size());
  std::vector<std::size_t> stack;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const Step& step = steps_[k];
    if (step.act == Act::leaf) {
      boxes[k] = leaves_[step.leaf]->bounds();
      stack.push_back(k);
      continue;
    }
    const std::vector<Interval>& b = boxes[stack.back()];
    stack.pop_back();
    boxes[k] = boxes[stack.back()];
    stack.back() = k;
    for (std::size_t c = 0; c < b.size() && step.act != Act::subtract; ++c) {
      auto& [lower, upper] = boxes[k][c];
      const bool unite = step.act == Act::unite;
      lower = unite ? std::min(lower, b[c].lower) : std::max(lower, b[c].lower);
      upper = unite ? std::max(upper, b[c].upper) : std::min(upper, b[c].upper);
    }
  }
  return boxes;
}

bool ShapeFormula::bounded() const {
  const auto box = bounds().back();
  return std::all_of(box.begin(), box.end(), [](const Interval& i) {
    return std::isfinite(i.lower) && std::isfinite(i.upper);
  });
}

}  // namespace pinn
