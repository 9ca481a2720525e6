#include <fmt/format.h>

#include <numbers>

#include "data/geometry/shapes/ellipsoid.h"
#include "data/geometry/shapes/frame.h"
#include "data/geometry/shapes/kinds.h"

namespace pinn::shapes {
namespace {

constexpr double turn = 2 * std::numbers::pi;

template <class T> struct TorusDistance {
  std::vector<T> center, axis;
  T ring, tube;
  explicit TorusDistance(const Values<T>& a)
      : center(a.numbers("center")),
        axis(unit(a.numbers("axis"))),
        ring(a.numbers("radii")[0]),
        tube(a.numbers("radii")[1]) {}
  T operator()(Place<T> x) const {
    const auto [along, off] = axial(x, center, axis);
    return root(square(off - ring) + square(along)) - tube;
  }
};

/// The angle t with t + e sin t = 2 pi u, 0 <= e < 1: areas and volumes grow with the distance from
/// the axis.
double angle_of(double u, double e) {
  return rising_root(0, turn, turn * u, [=](double t) {
    return std::pair{t + e * std::sin(t) - turn * u, 1 + e * std::cos(t)};
  });
}

ShapePtr make_torus(const Values<double>& a, int) {
  check_positive(a, "radii");
  const double ring = a.numbers("radii")[0], tube = a.numbers("radii")[1];
  if (!(tube < ring))
    refuse("radii", fmt::format("a torus has the radii {} and {}: it meets itself", ring, tube),
           "give that of the ring, then a smaller one of the tube");
  if (!(length(Place<double>(a.numbers("axis"))) > 0))
    refuse("axis", "an axis has no direction", "give a vector that is not 0");
  const std::vector<double> axis = unit(a.numbers("axis"));
  const Motion motion = onto(a.numbers("center"), axis);
  std::vector<Interval> bounds;
  for (std::size_t k = 0; k < 3; ++k) {
    const double reach = tube + ring * std::sqrt(std::max(1 - axis[k] * axis[k], 0.0));
    bounds.push_back({motion.shift[k] - reach, motion.shift[k] + reach});
  }
  const SamplerPtr interior =
      interior_map(3, turn * ring * turn / 2 * tube * tube,
                   [=](std::span<const double> cube, std::span<double> x, std::span<double>) {
                     const double s = tube * std::sqrt(cube[0]), t = angle_of(cube[1], s / ring);
                     const double r = ring + s * std::cos(t);
                     x[0] = r * std::cos(turn * cube[2]);
                     x[1] = r * std::sin(turn * cube[2]);
                     x[2] = s * std::sin(t);
                   });
  const SamplerPtr surface =
      surface_map(3, turn * ring * turn * tube,
                  [=](std::span<const double> cube, std::span<double> x, std::span<double> n) {
                    const double t = angle_of(cube[0], tube / ring), r = ring + tube * std::cos(t);
                    const double c = std::cos(turn * cube[1]), s = std::sin(turn * cube[1]);
                    x[0] = r * c;
                    x[1] = r * s;
                    x[2] = tube * std::sin(t);
                    if (n.empty()) return;
                    n[0] = std::cos(t) * c;
                    n[1] = std::cos(t) * s;
                    n[2] = std::sin(t);
                  });
  return analytic<TorusDistance>(a,
                                 {bounds, moved(interior, motion, 3), {moved(surface, motion, 2)}});
}

}  // namespace

std::vector<Kind> torus_kinds() {
  using Form = ShapeArgument::Form;
  return {{{"torus",
            3,
            3,
            {{"center", Form::point}, {"axis", Form::point}, {"radii", Form::numbers, 2, 2}},
            DistanceKind::exact,
            "a ring: its radius, and that of its tube"},
           make_torus,
           spell<TorusDistance>}};
}

}  // namespace pinn::shapes
