#include <algorithm>
#include <cmath>

#include "data/geometry/shapes/half_planes.h"
#include "data/geometry/shapes/outline.h"

namespace pinn::shapes {

/// Point of the inside: the width of a trapezoid grows linearly from left to right, so the share u
/// of its area lies left of where a quadratic equation says, written so that it holds for a
/// rectangle too.
Corner Outline::inner(double u, double v) const {
  const auto [k, share] = share_of(area_sums_, u);
  const Trapezoid& t = trapezoids_[k];
  const auto height = [&](std::size_t edge, double x) {
    const Corner a = corners_[edge], b = next(edge);
    return a.y + (x - a.x) / (b.x - a.x) * (b.y - a.y);
  };
  const double left = std::max(height(t.top, t.left) - height(t.bottom, t.left), 0.0),
               right = std::max(height(t.top, t.right) - height(t.bottom, t.right), 0.0);
  const double middle = std::sqrt(left * left + share * (right - left) * (right + left));
  const double along = std::min(share * (left + right) / (left + middle), 1.0);
  const double x = t.left + along * (t.right - t.left);
  const double y = height(t.bottom, x);
  return {x, y + v * (height(t.top, x) - y)};
}

Corner Outline::along(double u, std::size_t& edge) const {
  const auto [k, share] = share_of(length_sums_, u);
  edge = k;
  const Corner a = corners_[k], b = next(k);
  return {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

std::vector<Interval> Outline::edges() const {
  std::vector<Interval> all;
  double from = 0;
  for (const double sum : length_sums_) {
    all.push_back({from, sum / length()});
    from = all.back().upper;
  }
  return all;
}

namespace {

class Polygon : public SpatialShape {
 public:
  explicit Polygon(Outline outline)
      : outline_(std::make_shared<const Outline>(std::move(outline))) {}

  int dimension() const override { return 2; }
  std::vector<Interval> bounds() const override { return outline_->bounds(); }
  DistanceKind distance_kind() const override { return DistanceKind::exact; }
  double distance(std::span<const double> x) const override {
    return outline_->distance({x[0], x[1]});
  }
  void normal(std::span<const double> x, std::span<double> n) const override {
    const Corner normal = outline_->normal({x[0], x[1]});
    n[0] = normal.x;
    n[1] = normal.y;
  }
  SamplerPtr interior() const override {
    return interior_map(
        2, outline_->area(),
        [outline = outline_](std::span<const double> cube, std::span<double> x, std::span<double>) {
          const Corner at = outline->inner(cube[0], cube[1]);
          x[0] = at.x;
          x[1] = at.y;
        });
  }
  Pieces surface() const override {
    return {surface_map(2, outline_->length(),
                        [outline = outline_](std::span<const double> cube, std::span<double> x,
                                             std::span<double> n) {
                          std::size_t edge = 0;
                          const Corner at = outline->along(cube[0], edge);
                          x[0] = at.x;
                          x[1] = at.y;
                          if (n.empty()) return;
                          const Corner normal = outline->normal_of(edge);
                          n[0] = normal.x;
                          n[1] = normal.y;
                        },
                        {outline_->edges()})};
  }

 private:
  const std::shared_ptr<const Outline> outline_;
};

ShapePtr make_polygon(const Values<double>& a, int) {
  return std::make_shared<Polygon>(Outline(a.numbers("corners"), "corners"));
}

}  // namespace

std::vector<Kind> corner_kinds() {
  using Form = ShapeArgument::Form;
  return {{{"polygon",
            2,
            2,
            {{"corners", Form::corners, 3, 1'000'000}},
            DistanceKind::bound,
            "what straight edges enclose, in either direction"},
           make_polygon,
           spell_polygon}};
}

}  // namespace pinn::shapes
