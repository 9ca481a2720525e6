#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "data/geometry/shapes/arcs.h"
#include "data/geometry/shapes/frame.h"
#include "data/geometry/shapes/half_planes.h"
#include "data/geometry/shapes/kinds.h"

namespace pinn::shapes {
namespace {

/// An outline between two heights.
class Prism : public SpatialShape {
 public:
  Prism(Outline outline, double lower, double upper)
      : outline_(std::make_shared<const Outline>(std::move(outline))),
        lower_(lower),
        upper_(upper) {}

  int dimension() const override { return 3; }
  std::vector<Interval> bounds() const override {
    auto box = outline_->bounds();
    box.push_back({lower_, upper_});
    return box;
  }
  DistanceKind distance_kind() const override { return DistanceKind::exact; }
  double distance(std::span<const double> x) const override {
    const double beyond[] = {outline_->distance({x[0], x[1]}), above(x[2])};
    return box_rule(Place<double>(beyond));
  }
  void normal(std::span<const double> x, std::span<double> n) const override {
    const double side = outline_->distance({x[0], x[1]}), height = above(x[2]);
    const Corner out = outline_->normal({x[0], x[1]});
    const bool outside = side > 0 && height > 0;
    const double across = outside ? side : side >= height, up = outside ? height : side < height;
    n[0] = across * out.x;
    n[1] = across * out.y;
    n[2] = up * (x[2] > (lower_ + upper_) / 2 ? 1 : -1);
    normalize(n);
  }
  SamplerPtr interior() const override {
    return interior_map(3, outline_->area() * (upper_ - lower_),
                        [outline = outline_, lower = lower_, upper = upper_](
                            std::span<const double> cube, std::span<double> x, std::span<double>) {
                          const Corner at = outline->inner(cube[0], cube[1]);
                          x[0] = at.x;
                          x[1] = at.y;
                          x[2] = lower + cube[2] * (upper - lower);
                        });
  }
  Pieces surface() const override {
    const auto side = [outline = outline_, lower = lower_, upper = upper_](
                          std::span<const double> cube, std::span<double> x, std::span<double> n) {
      std::size_t edge = 0;
      const Corner at = outline->along(cube[0], edge);
      x[0] = at.x;
      x[1] = at.y;
      x[2] = lower + cube[1] * (upper - lower);
      if (n.empty()) return;
      const Corner normal = outline->normal_of(edge);
      n[0] = normal.x;
      n[1] = normal.y;
      n[2] = 0;
    };
    return {surface_map(3, outline_->length() * (upper_ - lower_), side), end(lower_, -1),
            end(upper_, 1)};
  }

 private:
  double above(double z) const { return std::max(lower_ - z, z - upper_); }
  SamplerPtr end(double z, double up) const {
    return surface_map(3, outline_->area(),
                       [outline = outline_, z, up](std::span<const double> cube,
                                                   std::span<double> x, std::span<double> n) {
                         const Corner at = outline->inner(cube[0], cube[1]);
                         x[0] = at.x;
                         x[1] = at.y;
                         x[2] = z;
                         if (n.empty()) return;
                         n[0] = n[1] = 0;
                         n[2] = up;
                       });
  }

  const std::shared_ptr<const Outline> outline_;
  const double lower_, upper_;
};

ShapePtr make_prism(const Values<double>& a, int) {
  const double lower = a.numbers("heights")[0], upper = a.numbers("heights")[1];
  if (!(upper - lower >= 1e-100))
    refuse("heights", fmt::format("a prism goes from the height {} to {}", lower, upper),
           "give the lower height, then the upper");
  return std::make_shared<Prism>(Outline(a.numbers("polygon"), "polygon"), lower, upper);
}

ShapePtr make_revolution(const Values<double>& a, int) {
  const std::vector<double>& corners = a.numbers("polygon");
  for (std::size_t k = 0; k < corners.size(); k += 2)
    if (corners[k] < 0)
      refuse("polygon",
             fmt::format("corner {} of what turns about an axis lies {} from it", k / 2 + 1,
                         corners[k]),
             "give the distance from the axis, 0 or more, and the height of each corner");
  const double full = 2 * std::numbers::pi, angle = a.has("angle") ? a.number("angle") : full;
  if (!(angle > 1e-9 && angle <= full * (1 + 1e-12)))
    refuse("angle", fmt::format("'angle' is {}", angle),
           "give radians, above 0 and at most 2*pi; leave it out for a full turn");
  ShapePtr upright =
      make_turned(Outline(corners, "polygon"), angle < full * (1 - 1e-9) ? angle : full);
  if (!a.has("axis")) return upright;
  if (!(length(Place<double>(a.numbers("axis"))) > 0))
    refuse("axis", "an axis has no direction", "give a vector that is not 0");
  return moved(upright, onto({0, 0, 0}, a.numbers("axis")));
}

}  // namespace

std::vector<Kind> swept_kinds() {
  using Form = ShapeArgument::Form;
  const ShapeArgument polygon{"polygon", Form::corners, 3, 1'000'000};
  return {{{"prism",
            3,
            3,
            {polygon, {"heights", Form::numbers, 2, 2}},
            DistanceKind::bound,
            "a polygon of the first two coordinates between two heights"},
           make_prism,
           spell_prism},
          {{"revolution",
            3,
            3,
            {polygon, {"axis", Form::point, 1, 1, true}, {"angle", Form::number, 1, 1, true}},
            DistanceKind::bound,
            "a polygon of distance and height that turns about an axis through the origin"},
           make_revolution,
           spell_revolution}};
}

}  // namespace pinn::shapes
