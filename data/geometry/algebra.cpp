#include <algorithm>
#include <mutex>

#include "data/geometry/surface_test.h"

namespace pinn {
namespace {

using Act = ShapeFormula::Act;

class Algebra : public SpatialShape {
 public:
  explicit Algebra(ShapeFormula formula)
      : formula_(std::make_shared<const ShapeFormula>(std::move(formula))) {}

  const ShapeFormula& formula() const { return *formula_; }
  int dimension() const override { return formula_->dimension(); }
  std::vector<Interval> bounds() const override {
    std::call_once(bounded_, [this] { bounds_ = formula_->bounds().back(); });
    return bounds_;
  }
  bool inside(std::span<const double> x) const override {
    return formula_->in_step(formula_->steps().size() - 1, x).closed;
  }
  DistanceKind distance_kind() const override { return formula_->distance_kind(); }
  double distance(std::span<const double> x) const override {
    return formula_->nearest(x).distance;
  }
  void normal(std::span<const double> x, std::span<double> n) const override {
    const auto nearest = formula_->nearest(x);
    formula_->leaves()[nearest.leaf]->normal(x, n);
    for (double& c : n) c *= nearest.side;
  }
  std::shared_ptr<const Sampler> interior() const override { return formula_interior(formula_); }
  std::vector<std::shared_ptr<const Sampler>> surface() const override {
    return formula_surface(formula_);
  }
  bool bounded() const override { return formula_->bounded(); }
  std::shared_ptr<const SurfaceTest> surface_test() const {
    std::call_once(tested_, [this] { test_ = std::make_shared<const SurfaceTest>(formula_); });
    return test_;
  }
  bool has_surface() const override {
    return std::ranges::all_of(formula_->leaves(),
                               [](const ShapePtr& leaf) { return leaf->has_surface(); });
  }
  std::string patch_at(std::span<const double> x) const override {
    return formula_->leaves()[formula_->nearest(x).leaf]->patch_at(x);
  }

 private:
  const std::shared_ptr<const ShapeFormula> formula_;
  mutable std::once_flag bounded_, tested_;
  mutable std::vector<Interval> bounds_;
  mutable std::shared_ptr<const SurfaceTest> test_;
};

ShapeFormula as_formula(const ShapePtr& shape) {
  const ShapeFormula* formula = formula_of(*shape);
  return formula ? *formula : ShapeFormula(shape);
}

ShapePtr joined(const ShapePtr& a, const ShapePtr& b, Act act) {
  ShapeFormula formula = as_formula(a);
  formula.append(as_formula(b), act);
  return shape_of(std::move(formula));
}

}  // namespace

ShapePtr shape_of(ShapeFormula formula) { return std::make_shared<Algebra>(std::move(formula)); }

const ShapeFormula* formula_of(const SpatialShape& shape) {
  const auto* algebra = dynamic_cast<const Algebra*>(&shape);
  return algebra ? &algebra->formula() : nullptr;
}

std::shared_ptr<const SurfaceTest> surface_test_of(const SpatialShape& shape) {
  const auto* algebra = dynamic_cast<const Algebra*>(&shape);
  return algebra ? algebra->surface_test() : nullptr;
}

ShapePtr united(ShapePtr a, ShapePtr b) { return joined(a, b, Act::unite); }
ShapePtr intersected(ShapePtr a, ShapePtr b) { return joined(a, b, Act::intersect); }
ShapePtr subtracted(ShapePtr a, ShapePtr b) { return joined(a, b, Act::subtract); }

ShapePtr united(const std::vector<ShapePtr>& all) {
  if (all.size() == 1) return all[0];
  ShapeFormula formula = as_formula(all.at(0));
  for (std::size_t k = 1; k < all.size(); ++k) formula.append(as_formula(all[k]), Act::unite);
  return shape_of(std::move(formula));
}

}  // namespace pinn
