#include "data/geometry/cut.h"

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/cut_sampler.h"

namespace pinn {
namespace {

/// A body at one value of all that it depends on is one that does not move.
Cut frozen(Cut cut) {
  const auto fixed = [&](int c) { return cut.box[std::size_t(c)].fixed(); };
  if (!cut.body.moves() || cut.piece || !std::ranges::all_of(cut.body.depends(), fixed)) return cut;
  std::vector<double> x;
  for (const Interval& i : cut.box) x.push_back(i.lower);
  cut.body = cut.body.at(x);
  return cut;
}

class CutRegion : public Region {
 public:
  explicit CutRegion(Cut cut)
      : cut_(frozen(std::move(cut))),
        sampler_(cut_),
        measure_(cut_.body.moves() ? sampler_.measure() : measure_of(sampler_)) {
    for (std::size_t c = 0; c < cut_.box.size(); ++c) {
      const bool of_surface = cut_.piece && std::ranges::count(cut_.space, int(c)) > 0;
      dimension_ += of_surface || !cut_.box[c].fixed();
    }
    dimension_ -= cut_.piece.has_value();
  }

  int coordinates() const override { return int(cut_.box.size()); }
  int dimension() const override { return dimension_; }
  double measure() const override { return measure_; }
  const Sampler& sampler() const override { return sampler_; }

  std::vector<Interval> bounds() const override {
    std::vector<Interval> all = cut_.box;
    if (!cut_.body) return all;
    const std::vector<Interval> shape = cut_.body.bounds(cut_.box);
    for (std::size_t k = 0; k < cut_.space.size(); ++k) {
      Interval& i = all[std::size_t(cut_.space[k])];
      if (!i.fixed()) i = {std::max(i.lower, shape[k].lower), std::min(i.upper, shape[k].upper)};
    }
    return all;
  }

  std::shared_ptr<const Region> with(int coordinate, const Interval& values) const override {
    Cut other = cut_;
    other.box[std::size_t(coordinate)] = values;
    return std::make_shared<const CutRegion>(std::move(other));
  }

  bool inside(std::span<const double> x, double tolerance) const override {
    for (std::size_t c = 0; c < cut_.box.size(); ++c) {
      const auto [lower, upper] = cut_.box[c];
      const double near =
          lower == upper ? std::max(tolerance, 0.0) : tolerance;  // it has no inside
      if (!(x[c] >= lower - near && x[c] <= upper + near)) return false;
    }
    for (const auto& holds : cut_.conditions)
      if (!holds(x)) return false;
    if (!cut_.body) return true;
    const std::vector<double> place = place_of(x, cut_.space);
    const ShapePtr shape = cut_.body.at(x);
    if (shape->distance_kind() == DistanceKind::none) return shape->inside(place);
    const double distance = shape->distance(place);
    const double near = tolerance + nearness(*shape);
    return cut_.piece ? std::fabs(distance) <= near : distance <= tolerance;
  }

  bool has_normal() const override { return cut_.piece || !cut_.normal.empty(); }
  Body surface_of() const override { return cut_.piece ? cut_.body : Body(); }

  void normal(std::span<const double> x, std::span<double> n) const override {
    if (!has_normal())
      throw InternalError({"a region without a normal was asked for it", "data/geometry/cut.cpp",
                           "ask has_normal() first"});
    if (!cut_.piece) {
      std::copy(cut_.normal.begin(), cut_.normal.end(), n.begin());
      return;
    }
    std::vector<double> of_space(cut_.space.size());
    cut_.body.at(x)->normal(place_of(x, cut_.space), of_space);
    std::ranges::fill(n, 0.0);
    for (std::size_t k = 0; k < of_space.size(); ++k) n[std::size_t(cut_.space[k])] = of_space[k];
  }

 private:
  const Cut cut_;
  const CutSampler sampler_;
  const double measure_;
  int dimension_ = 0;
};

}  // namespace

std::vector<double> place_of(std::span<const double> x, const std::vector<int>& space) {
  std::vector<double> place;
  for (const int c : space) place.push_back(x[std::size_t(c)]);
  return place;
}

double nearness(const SpatialShape& shape) {
  double size = 0;
  for (const Interval& i : shape.bounds()) size = std::max(size, i.upper - i.lower);
  return on_surface_share * (std::isfinite(size) ? size : 1);
}

bool nearly_inside(const SpatialShape& shape, std::span<const double> place) {
  if (shape.inside(place)) return true;
  return shape.distance_kind() != DistanceKind::none && shape.distance(place) <= nearness(shape);
}

bool nearly_on_surface(const SpatialShape& shape, std::span<const double> place) {
  return shape.distance_kind() != DistanceKind::none &&
         std::fabs(shape.distance(place)) <= nearness(shape);
}

Body Region::surface_of() const { return {}; }

std::shared_ptr<const Region> make_cut(Cut cut) {
  const auto region = std::make_shared<const CutRegion>(std::move(cut));
  return region->measure() > 0 ? region : nullptr;
}

}  // namespace pinn
