#include "data/geometry/lifted.h"

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/samplers.h"

namespace pinn {
namespace {

/// Place as its shape sees it, and a vector of the shape's as space sees it.
struct Lift {
  std::vector<int> over;
  int dimension = 0;

  std::vector<double> down(std::span<const double> x) const {
    std::vector<double> place;
    for (const int c : over) place.push_back(x[std::size_t(c)]);
    return place;
  }
  void up(std::span<const double> from, std::span<double> to) const {
    for (std::size_t k = 0; k < over.size(); ++k) to[std::size_t(over[k])] = from[k];
  }
  bool is_over(int c) const { return std::ranges::find(over, c) != over.end(); }
};

/// A piece of the shape's surface, along all of a box in the other coordinates.
class LiftedPiece : public Sampler {
 public:
  LiftedPiece(std::shared_ptr<const Sampler> piece, Lift lift, const std::vector<Interval>& box)
      : piece_(std::move(piece)), lift_(std::move(lift)), box_(box) {}
  int dimension() const override { return lift_.dimension; }
  int numbers() const override { return piece_->numbers() + lift_.dimension - piece_->dimension(); }
  double whole() const override {
    double whole = piece_->whole();
    for (int c = 0; c < lift_.dimension; ++c)
      if (!lift_.is_over(c)) whole *= box_[std::size_t(c)].upper - box_[std::size_t(c)].lower;
    return whole;
  }
  bool keeps_all() const override { return piece_->keeps_all(); }
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    std::vector<double> place(lift_.over.size()), normal(n.empty() ? 0 : place.size());
    std::size_t next = std::size_t(piece_->numbers());
    if (!piece_->sample(cube.first(next), place, normal)) return false;
    for (int c = 0; c < lift_.dimension; ++c) {
      const auto [lower, upper] = box_[std::size_t(c)];
      if (!lift_.is_over(c)) x[std::size_t(c)] = lower + cube[next++] * (upper - lower);
    }
    lift_.up(place, x);
    std::ranges::fill(n, 0.0);
    if (!n.empty()) lift_.up(normal, n);
    return true;
  }
  std::string patch() const override { return piece_->patch(); }

 private:
  const std::shared_ptr<const Sampler> piece_;
  const Lift lift_;
  const std::vector<Interval> box_;
};

class Lifted : public SpatialShape {
 public:
  Lifted(ShapePtr shape, Lift lift) : shape_(std::move(shape)), lift_(std::move(lift)) {}
  int dimension() const override { return lift_.dimension; }
  std::vector<Interval> bounds() const override {
    std::vector<Interval> all(std::size_t(lift_.dimension), Interval{-INFINITY, INFINITY});
    const std::vector<Interval> own = shape_->bounds();
    for (std::size_t k = 0; k < own.size(); ++k) all[std::size_t(lift_.over[k])] = own[k];
    return all;
  }
  bool inside(std::span<const double> x) const override { return shape_->inside(lift_.down(x)); }
  DistanceKind distance_kind() const override { return shape_->distance_kind(); }
  double distance(std::span<const double> x) const override {
    return shape_->distance(lift_.down(x));
  }
  void normal(std::span<const double> x, std::span<double> n) const override {
    std::vector<double> own(lift_.over.size());
    shape_->normal(lift_.down(x), own);
    std::ranges::fill(n, 0.0);
    lift_.up(own, n);
  }
  std::shared_ptr<const Sampler> interior() const override { unbounded(); }
  std::vector<std::shared_ptr<const Sampler>> surface() const override { unbounded(); }
  bool bounded() const override { return false; }
  bool has_surface() const override { return shape_->has_surface(); }
  std::vector<std::shared_ptr<const Sampler>> surface_within(
      const std::vector<Interval>& box) const override {
    std::vector<Interval> own;
    for (const int c : lift_.over) own.push_back(box[std::size_t(c)]);
    std::vector<std::shared_ptr<const Sampler>> pieces;
    for (auto& piece : shape_->surface_within(own))
      pieces.push_back(std::make_shared<LiftedPiece>(std::move(piece), lift_, box));
    return pieces;
  }

 private:
  [[noreturn]] static void unbounded() {
    throw ConfigError({"a region reaches to infinity", "", "cut it to a bounded shape"});
  }

  const ShapePtr shape_;
  const Lift lift_;
};

class Where : public SpatialShape {
 public:
  Where(std::function<bool(std::span<const double>)> holds, std::vector<Interval> box)
      : holds_(std::move(holds)), box_(std::move(box)) {}
  int dimension() const override { return int(box_.size()); }
  std::vector<Interval> bounds() const override { return box_; }
  bool inside(std::span<const double> x) const override {
    for (std::size_t k = 0; k < box_.size(); ++k)
      if (!(x[k] >= box_[k].lower && x[k] <= box_[k].upper)) return false;
    return holds_(x);
  }
  DistanceKind distance_kind() const override { return DistanceKind::none; }
  double distance(std::span<const double>) const override { unknown(); }
  void normal(std::span<const double>, std::span<double>) const override { unknown(); }
  bool has_surface() const override { return false; }
  std::shared_ptr<const Sampler> interior() const override {
    double size = 1;
    for (const Interval& i : box_) size *= i.upper - i.lower;
    return shapes::interior_trial(
        dimension(), size, 0,
        [from = shapes::box_interior(box_), holds = holds_](
            std::span<const double> cube, std::span<double> x, std::span<double> n) {
          return from->sample(cube, x, n) && holds(x);
        });
  }
  std::vector<std::shared_ptr<const Sampler>> surface() const override { return {}; }

 private:
  [[noreturn]] static void unknown() {
    throw InternalError({"a region by a condition was asked for its surface",
                         "data/geometry/lifted.cpp", "ask has_surface() first"});
  }

  const std::function<bool(std::span<const double>)> holds_;
  const std::vector<Interval> box_;
};

}  // namespace

ShapePtr make_lifted(ShapePtr shape, std::vector<int> over, int dimension) {
  if (int(over.size()) == dimension && std::ranges::is_sorted(over)) return shape;
  return std::make_shared<Lifted>(std::move(shape), Lift{std::move(over), dimension});
}

ShapePtr make_where(std::function<bool(std::span<const double>)> holds, std::vector<Interval> box) {
  return std::make_shared<Where>(std::move(holds), std::move(box));
}

}  // namespace pinn
