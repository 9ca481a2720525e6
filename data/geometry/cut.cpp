#include "data/geometry/cut.h"

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/shapes/samplers.h"

namespace pinn {
namespace {

double size_of(const std::vector<Interval>& bounds) {
  double size = 0;
  for (const Interval& i : bounds) size = std::max(size, i.upper - i.lower);
  return size;
}

/// Of what is unbounded: where it lies.
double nearness(const SpatialShape& shape) {
  const double size = size_of(shape.bounds());
  return on_surface_share * (std::isfinite(size) ? size : 1);
}

/// Points of a cut: of space first, then of the other coordinates that are free.
class CutSampler : public Sampler {
 public:
  explicit CutSampler(const Cut& cut)
      : cut_(cut),
        set_(cut.shape ? (cut.on_surface ? cut.piece : cut.shape->interior()) : plane()) {
    if (cut.shape) tolerance_ = nearness(*cut.shape);
    for (int c = 0; c < dimension(); ++c)
      if (std::ranges::find(cut.space, c) == cut.space.end()) others_.push_back(std::size_t(c));
    for (const std::size_t c : others_)
      if (!cut.box[c].fixed()) ++free_;
    for (std::size_t k = 0; k < cut.space.size(); ++k) cuts_ |= is_cut(k);
  }

  int dimension() const override { return int(cut_.box.size()); }
  int numbers() const override { return set_->numbers() + free_; }
  double whole() const override {
    double whole = set_->whole();
    for (const std::size_t c : others_)
      if (!cut_.box[c].fixed()) whole *= cut_.box[c].upper - cut_.box[c].lower;
    return whole;
  }
  bool keeps_all() const override { return !cuts_ && cut_.conditions.empty() && set_->keeps_all(); }

  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    const std::size_t d = cut_.space.size();
    std::vector<double> place(d), normal(n.empty() ? 0 : d);
    if (!set_->sample(cube.first(std::size_t(set_->numbers())), place, normal)) return false;
    if (cuts_ && !lies_in_box(place)) return false;
    for (const auto& holds : cut_.conditions)
      if (!holds(place)) return false;
    for (std::size_t k = 0; k < d; ++k) x[std::size_t(cut_.space[k])] = place[k];
    std::size_t next = std::size_t(set_->numbers());
    for (const std::size_t c : others_) {
      const auto [lower, upper] = cut_.box[c];
      x[c] = lower;
      if (lower == upper) continue;
      const double at = lower + cube[next++] * (upper - lower);
      x[c] = std::clamp(at, std::nextafter(lower, upper), std::nextafter(upper, lower));
    }
    if (n.empty()) return true;
    std::ranges::fill(n, 0.0);
    for (std::size_t k = 0; k < d; ++k)
      n[std::size_t(cut_.space[k])] = cut_.on_surface ? normal[k]
                                      : cut_.normal.empty()
                                          ? 0
                                          : cut_.normal[std::size_t(cut_.space[k])];
    return true;
  }

 private:
  std::shared_ptr<const Sampler> plane() const {
    std::vector<Interval> box;
    for (const int c : cut_.space) box.push_back(cut_.box[std::size_t(c)]);
    const auto plane = make_box(std::move(box));
    return {plane, &plane->sampler()};
  }

  bool is_cut(std::size_t k) const {
    if (!cut_.shape) return false;
    const Interval mine = cut_.box[std::size_t(cut_.space[k])], all = cut_.shape->bounds()[k];
    return mine.lower > all.lower + tolerance_ || mine.upper < all.upper - tolerance_;
  }

  /// Whether a point lies in the box; it is put where the box fixes a coordinate.
  bool lies_in_box(std::span<double> place) const {
    for (std::size_t k = 0; k < place.size(); ++k) {
      const Interval i = cut_.box[std::size_t(cut_.space[k])];
      if (!(place[k] >= i.lower - tolerance_ && place[k] <= i.upper + tolerance_)) return false;
      if (i.fixed()) place[k] = i.lower;
    }
    return true;
  }

  const Cut& cut_;
  const std::shared_ptr<const Sampler> set_;
  std::vector<std::size_t> others_;
  int free_ = 0;
  bool cuts_ = false;
  double tolerance_ = 0;
};

class CutRegion : public Region {
 public:
  explicit CutRegion(Cut cut)
      : cut_(std::move(cut)), sampler_(cut_), measure_(measure_of(sampler_)) {
    for (std::size_t c = 0; c < cut_.box.size(); ++c) {
      const bool of_surface = cut_.on_surface && std::ranges::count(cut_.space, int(c)) > 0;
      dimension_ += of_surface || !cut_.box[c].fixed();
    }
    dimension_ -= cut_.on_surface;
  }

  int coordinates() const override { return int(cut_.box.size()); }
  int dimension() const override { return dimension_; }
  double measure() const override { return measure_; }
  const Sampler& sampler() const override { return sampler_; }

  std::vector<Interval> bounds() const override {
    std::vector<Interval> all = cut_.box;
    if (!cut_.shape) return all;
    const std::vector<Interval> shape = cut_.shape->bounds();
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
    for (std::size_t c = 0; c < cut_.box.size(); ++c)
      if (!(x[c] >= cut_.box[c].lower - tolerance && x[c] <= cut_.box[c].upper + tolerance))
        return false;
    const std::vector<double> place = in_space(x);
    for (const auto& holds : cut_.conditions)
      if (!holds(place)) return false;
    if (!cut_.shape) return true;
    if (cut_.shape->distance_kind() == DistanceKind::none) return cut_.shape->inside(place);
    const double distance = cut_.shape->distance(place);
    const double near = tolerance + nearness(*cut_.shape);
    return cut_.on_surface ? std::fabs(distance) <= near : distance <= tolerance;
  }

  bool has_normal() const override { return cut_.on_surface || !cut_.normal.empty(); }

  void normal(std::span<const double> x, std::span<double> n) const override {
    if (!has_normal())
      throw InternalError({"a region without a normal was asked for it", "data/geometry/cut.cpp",
                           "ask has_normal() first"});
    if (!cut_.on_surface) {
      std::copy(cut_.normal.begin(), cut_.normal.end(), n.begin());
      return;
    }
    std::vector<double> of_space(cut_.space.size());
    cut_.shape->normal(in_space(x), of_space);
    std::ranges::fill(n, 0.0);
    for (std::size_t k = 0; k < of_space.size(); ++k) n[std::size_t(cut_.space[k])] = of_space[k];
  }

 private:
  std::vector<double> in_space(std::span<const double> x) const {
    std::vector<double> place;
    for (const int c : cut_.space) place.push_back(x[std::size_t(c)]);
    return place;
  }

  const Cut cut_;
  const CutSampler sampler_;
  const double measure_;
  int dimension_ = 0;
};

}  // namespace

bool nearly_inside(const SpatialShape& shape, std::span<const double> x) {
  if (shape.inside(x)) return true;
  return shape.distance_kind() != DistanceKind::none && shape.distance(x) <= nearness(shape);
}

bool nearly_on_surface(const SpatialShape& shape, std::span<const double> x) {
  return shape.distance_kind() != DistanceKind::none &&
         std::fabs(shape.distance(x)) <= nearness(shape);
}

std::shared_ptr<const Region> make_cut(Cut cut) {
  const auto region = std::make_shared<const CutRegion>(std::move(cut));
  return region->measure() > 0 ? region : nullptr;
}

}  // namespace pinn
