#include <algorithm>
#include <limits>
#include <numbers>

#include "data/geometry/shapes/arcs.h"
#include "data/geometry/shapes/ellipsoid.h"
#include "data/geometry/shapes/kinds.h"

namespace pinn::shapes {
namespace {

constexpr double half_turn = std::numbers::pi;

/// (|x / radii| - 1) times the least radius: no larger than the distance, for its slope is at most
/// 1.
template <class T> struct EllipsoidBound {
  std::vector<T> center, radii;
  T smallest;
  explicit EllipsoidBound(const Values<T>& a)
      : center(a.numbers("center")), radii(a.numbers("radii")), smallest(radii[0]) {
    for (const T& r : radii) smallest = least(smallest, r);
  }
  T operator()(Place<T> x) const {
    std::vector<T> way = between(Place<T>(center), x);
    for (std::size_t k = 0; k < way.size(); ++k) way[k] = way[k] / radii[k];
    return (length(Place<T>(way)) - T(1.0)) * smallest;
  }
};

class Ellipsoid : public SpatialShape {
 public:
  explicit Ellipsoid(const Values<double>& a)
      : center_(a.numbers("center")), radii_(a.numbers("radii")) {}

  int dimension() const override { return int(center_.size()); }
  std::vector<Interval> bounds() const override {
    std::vector<Interval> box;
    for (std::size_t k = 0; k < center_.size(); ++k)
      box.push_back({center_[k] - radii_[k], center_[k] + radii_[k]});
    return box;
  }
  DistanceKind distance_kind() const override { return DistanceKind::exact; }
  double distance(std::span<const double> x) const override {
    double y[3], foot[3];
    for (std::size_t k = 0; k < x.size(); ++k) y[k] = x[k] - center_[k];
    return ellipsoid_foot(radii_, {y, x.size()}, {foot, x.size()});
  }
  /// That of the surface at the nearest point.
  void normal(std::span<const double> x, std::span<double> n) const override {
    double y[3];
    for (std::size_t k = 0; k < x.size(); ++k) y[k] = x[k] - center_[k];
    ellipsoid_foot(radii_, {y, x.size()}, n);
    slope(n, n);
  }
  SamplerPtr interior() const override {
    double whole = sphere_measure(dimension()) / dimension();
    for (double r : radii_) whole *= r;
    return interior_map(dimension(), whole,
                        [center = center_, radii = radii_](std::span<const double> cube,
                                                           std::span<double> x, std::span<double>) {
                          const double d = double(x.size());
                          const double far = std::min(std::pow(cube[0], 1 / d), 1 - 1e-15);
                          sphere_direction(cube.subspan(1), x);
                          for (std::size_t k = 0; k < x.size(); ++k)
                            x[k] = center[k] + radii[k] * far * x[k];
                        });
  }
  Pieces surface() const override {
    const auto self = std::make_shared<Ellipsoid>(*this);
    const SamplerPtr around = dimension() == 2 ? ellipse_outline(radii_) : ellipsoid_skin(radii_);
    return {surface_map(
        dimension(), around->whole(),
        [self, around](std::span<const double> cube, std::span<double> x, std::span<double> n) {
          around->sample(cube, x, {});
          if (!n.empty()) self->slope(x, n);
          for (std::size_t k = 0; k < x.size(); ++k) x[k] += self->center_[k];
        })};
  }

 private:
  void slope(std::span<const double> x, std::span<double> n) const {
    const double least = *std::min_element(radii_.begin(), radii_.end());
    for (std::size_t k = 0; k < x.size(); ++k) n[k] = x[k] / radii_[k] * (least / radii_[k]);
    normalize(n);
  }

  const std::vector<double> center_, radii_;
};

ShapePtr make_ellipsoid(const Values<double>& a, int) {
  check_positive(a, "radii");
  const auto [least, most] =
      std::minmax_element(a.numbers("radii").begin(), a.numbers("radii").end());
  if (*most > 1e8 * *least)
    refuse("radii", "the radii of an ellipse differ by more than 1e8", "choose a flatter shape");
  return std::make_shared<Ellipsoid>(a);
}

}  // namespace

SamplerPtr ellipse_outline(const std::vector<double>& radii) {
  const bool wide = radii[0] >= radii[1];
  const double a = wide ? radii[0] : radii[1], b = wide ? radii[1] : radii[0];
  return surface_map(2, 4 * quarter_length(a, b),
                     [=, quarter = quarter_arc(a, b)](std::span<const double> cube,
                                                      std::span<double> x, std::span<double>) {
                       const double t = angle_at(quarter, cube[0]);
                       x[0] = wide ? a * std::cos(t) : -b * std::sin(t);
                       x[1] = wide ? b * std::sin(t) : a * std::cos(t);
                     });
}

double angle_at(const InverseIntegral& quarter, double share) {
  const double four = 4 * share, which = std::min(std::floor(four), 3.0), part = four - which;
  const bool back = int(which) % 2 == 1;
  const double t = quarter.place(back ? 1 - part : part);
  return which * half_turn / 2 + (back ? half_turn / 2 - t : t);
}

std::vector<Kind> ellipse_kinds() {
  using Form = ShapeArgument::Form;
  const std::vector<ShapeArgument> arguments{{"center", Form::point}, {"radii", Form::point}};
  return {{{"ellipse", 2, 2, arguments, DistanceKind::bound, "a disk of two radii"},
           make_ellipsoid,
           spell<EllipsoidBound>},
          {{"ellipsoid", 2, 3, arguments, DistanceKind::bound, "a ball of a radius per coordinate"},
           make_ellipsoid,
           spell<EllipsoidBound>}};
}

}  // namespace pinn::shapes
