#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/formula.h"
#include "data/geometry/motion.h"

namespace pinn {
namespace {

/// rotation a, or its transpose
void turn(const Motion& m, bool back, std::span<const double> a, std::span<double> b) {
  const std::size_t d = a.size();
  for (std::size_t i = 0; i < d; ++i) {
    b[i] = 0;
    for (std::size_t j = 0; j < d; ++j) b[i] += m.rotation[back ? j * d + i : i * d + j] * a[j];
  }
}

void forth(const Motion& m, std::span<const double> a, std::span<double> b) {
  turn(m, false, a, b);
  for (std::size_t i = 0; i < a.size(); ++i) b[i] = m.scale * b[i] + m.shift[i];
}

std::vector<double> back(const Motion& m, std::span<const double> a) {
  std::vector<double> from(a.begin(), a.end()), to(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) from[i] = (from[i] - m.shift[i]) / m.scale;
  turn(m, true, from, to);
  return to;
}

/// The least box that holds a box after a motion; what is infinite stays so.
std::vector<Interval> moved_box(const Motion& m, const std::vector<Interval>& box) {
  const std::size_t d = box.size();
  std::vector<Interval> result;
  for (std::size_t i = 0; i < d; ++i) {
    double lower = m.shift[i], upper = m.shift[i];
    for (std::size_t j = 0; j < d; ++j) {
      const double factor = m.scale * m.rotation[i * d + j];
      if (factor == 0) continue;
      lower += factor * (factor > 0 ? box[j].lower : box[j].upper);
      upper += factor * (factor > 0 ? box[j].upper : box[j].lower);
    }
    result.push_back({lower, upper});
  }
  return result;
}

class MovedSampler : public Sampler {
 public:
  MovedSampler(std::shared_ptr<const Sampler> sampler, const Motion& motion, int measured)
      : sampler_(std::move(sampler)),
        motion_(motion),
        whole_(sampler_->whole() * std::pow(motion.scale, measured)) {}
  int dimension() const override { return sampler_->dimension(); }
  int numbers() const override { return sampler_->numbers(); }
  double whole() const override { return whole_; }
  bool keeps_all() const override { return sampler_->keeps_all(); }
  std::optional<Panels> panels() const override { return sampler_->panels(); }
  double measure() const override { return sampler_->measure() * (whole_ / sampler_->whole()); }
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    double own[256];
    const std::span<double> place(own, x.size()), normal(own + 128, n.size());
    const bool kept = sampler_->sample(cube, place, normal);
    forth(motion_, place, x);
    if (!n.empty()) turn(motion_, false, normal, n);
    return kept;
  }
  std::string patch() const override { return sampler_->patch(); }

 private:
  const std::shared_ptr<const Sampler> sampler_;
  const Motion motion_;
  const double whole_;
};

class MovedShape : public SpatialShape {
 public:
  MovedShape(ShapePtr shape, Motion motion)
      : shape_(std::move(shape)), motion_(std::move(motion)) {}

  const ShapePtr& shape() const { return shape_; }
  const Motion& motion() const { return motion_; }
  int dimension() const override { return shape_->dimension(); }
  std::vector<Interval> bounds() const override { return moved_box(motion_, shape_->bounds()); }
  bool inside(std::span<const double> x) const override { return shape_->inside(back(motion_, x)); }
  DistanceKind distance_kind() const override { return shape_->distance_kind(); }
  double distance(std::span<const double> x) const override {
    return motion_.scale * shape_->distance(back(motion_, x));
  }
  void normal(std::span<const double> x, std::span<double> n) const override {
    std::vector<double> own(n.size());
    shape_->normal(back(motion_, x), own);
    turn(motion_, false, own, n);
  }
  std::shared_ptr<const Sampler> interior() const override {
    return moved(shape_->interior(), motion_, dimension());
  }
  std::vector<std::shared_ptr<const Sampler>> surface() const override {
    return all_moved(shape_->surface());
  }
  bool bounded() const override { return shape_->bounded(); }
  bool has_surface() const override { return shape_->has_surface(); }
  std::string patch_at(std::span<const double> x) const override {
    return shape_->patch_at(back(motion_, x));
  }
  std::vector<std::shared_ptr<const Sampler>> surface_within(
      const std::vector<Interval>& box) const override {
    Motion inverse{std::vector<double>(motion_.rotation.size()), {}, 1 / motion_.scale};
    const std::size_t d = box.size();
    for (std::size_t i = 0; i < d * d; ++i)
      inverse.rotation[i] = motion_.rotation[i % d * d + i / d];
    inverse.shift = back(motion_, std::vector<double>(d, 0.0));
    return all_moved(shape_->surface_within(moved_box(inverse, box)));
  }

 private:
  std::vector<std::shared_ptr<const Sampler>> all_moved(
      std::vector<std::shared_ptr<const Sampler>> pieces) const {
    for (auto& piece : pieces) piece = moved(std::move(piece), motion_, dimension() - 1);
    return pieces;
  }

  const ShapePtr shape_;
  const Motion motion_;
};

}  // namespace

std::shared_ptr<const Sampler> moved(std::shared_ptr<const Sampler> sampler, const Motion& motion,
                                     int measured) {
  return std::make_shared<MovedSampler>(std::move(sampler), motion, measured);
}

ShapePtr moved(ShapePtr shape, const Motion& motion) {
  const std::size_t d = std::size_t(shape->dimension());
  if (motion.shift.size() != d || motion.rotation.size() != d * d || !(motion.scale > 0))
    throw InternalError({"a motion does not fit a shape", "data/geometry/moved.cpp", ""});
  if (const ShapeFormula* formula = formula_of(*shape)) {  // so that motions never nest
    std::vector<ShapePtr> leaves;
    for (const ShapePtr& leaf : formula->leaves()) leaves.push_back(moved(leaf, motion));
    return shape_of(formula->of(std::move(leaves)));
  }
  if (const auto* once = dynamic_cast<const MovedShape*>(shape.get()))
    return std::make_shared<MovedShape>(once->shape(), joined(once->motion(), motion));
  return std::make_shared<MovedShape>(std::move(shape), motion);
}

ShapePtr repeated(const ShapePtr& shape, int count, const std::vector<double>& by) {
  if (count < 1)
    throw ConfigError(
        {fmt::format("a shape is repeated {} times", count), "repeat", "repeat it at least once"});
  const ShapeFormula* formula = formula_of(*shape);
  ShapeFormula::require_shapes(std::size_t(count) * (formula ? formula->shapes() : 1));
  const std::size_t d = std::size_t(shape->dimension());
  std::vector<ShapePtr> copies{shape};
  Motion motion{std::vector<double>(d * d), std::vector<double>(d), 1};
  for (std::size_t i = 0; i < d; ++i) motion.rotation[i * d + i] = 1;
  for (int k = 1; k < count; ++k) {
    for (std::size_t i = 0; i < d; ++i) motion.shift[i] = k * by.at(i);
    copies.push_back(moved(shape, motion));
  }
  return united(copies);
}

}  // namespace pinn
