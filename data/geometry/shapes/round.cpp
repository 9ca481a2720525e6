#include <fmt/format.h>

#include <numbers>

#include "data/geometry/shapes/kinds.h"

namespace pinn::shapes {
namespace {

template <class T> struct IntervalDistance {
  T lower, upper;
  explicit IntervalDistance(const Values<T>& a)
      : lower(a.numbers("range")[0]), upper(a.numbers("range")[1]) {}
  T operator()(Place<T> x) const { return most(lower - x[0], x[0] - upper); }
};

/// |x - center| - radius
template <class T> struct BallDistance {
  std::vector<T> center;
  T radius;
  explicit BallDistance(const Values<T>& a)
      : center(a.numbers("center")), radius(a.number("radius")) {}
  T operator()(Place<T> x) const { return distance_between(Place<T>(center), x) - radius; }
};

template <class T> struct ShellDistance {
  std::vector<T> center;
  T inner, outer;
  explicit ShellDistance(const Values<T>& a)
      : center(a.numbers("center")), inner(a.number("inner")), outer(a.number("outer")) {}
  T operator()(Place<T> x) const {
    const T r = distance_between(Place<T>(center), x);
    return most(inner - r, r - outer);
  }
};

/// Interior between two spheres, by volume: r^d is uniform.
SamplerPtr shell_interior(std::vector<double> center, double inner, double outer) {
  const int d = int(center.size());
  const double low = std::pow(inner / outer, d);
  const double whole = sphere_measure(d) / d * std::pow(outer, d) * (1 - low);
  return interior_map(d, whole,
                      [=](std::span<const double> cube, std::span<double> x, std::span<double>) {
                        sphere_direction(cube.subspan(1), x);
                        const double share = std::pow(low + cube[0] * (1 - low), 1.0 / d);
                        const double r = outer * std::min(share, 1 - 1e-15);
                        for (int k = 0; k < d; ++k) x[k] = center[k] + r * x[k];
                      });
}

/// A sphere; `side` is 1 where the shape lies within it, else -1.
SamplerPtr sphere_piece(std::vector<double> center, double radius, double side) {
  const int d = int(center.size());
  return surface_map(d, sphere_measure(d) * std::pow(radius, d - 1),
                     [=](std::span<const double> cube, std::span<double> x, std::span<double> n) {
                       sphere_direction(cube, x);
                       for (int k = 0; k < d; ++k) {
                         if (!n.empty()) n[k] = side * x[k];
                         x[k] = center[k] + radius * x[k];
                       }
                     });
}

std::vector<Interval> around(const std::vector<double>& center, double radius) {
  std::vector<Interval> bounds;
  for (double c : center) bounds.push_back({c - radius, c + radius});
  return bounds;
}

ShapePtr make_interval(const Values<double>& a, int) {
  const double lower = a.numbers("range")[0], upper = a.numbers("range")[1];
  if (!(lower < upper))
    refuse("range", fmt::format("the interval [{}, {}] has no length", lower, upper),
           "give the lower end, then the upper");
  const std::vector<Interval> bounds{{lower, upper}};
  return analytic<IntervalDistance>(
      a, {bounds, box_interior(bounds), {point_piece(lower, -1), point_piece(upper, 1)}});
}

ShapePtr make_ball(const Values<double>& a, int dimension) {
  check_positive(a, "radius");
  const auto& center = a.numbers("center");
  const double r = a.number("radius");
  const std::vector<Interval> bounds = around(center, r);
  if (dimension == 1)
    return analytic<BallDistance>(
        a, {bounds,
            box_interior(bounds),
            {point_piece(bounds[0].lower, -1), point_piece(bounds[0].upper, 1)}});
  return analytic<BallDistance>(
      a, {bounds, shell_interior(center, 0, r), {sphere_piece(center, r, 1)}});
}

ShapePtr make_shell(const Values<double>& a, int) {
  check_positive(a, "inner");
  const auto& center = a.numbers("center");
  const double inner = a.number("inner"), outer = a.number("outer");
  if (!(inner < outer))
    refuse("outer", fmt::format("'outer' is {}, and 'inner' is {}", outer, inner),
           "give an outer radius above the inner one");
  return analytic<ShellDistance>(
      a, {around(center, outer),
          shell_interior(center, inner, outer),
          {sphere_piece(center, outer, 1), sphere_piece(center, inner, -1)}});
}

}  // namespace

std::vector<Kind> round_kinds() {
  using Form = ShapeArgument::Form;
  const ShapeArgument center{"center", Form::point}, radius{"radius"}, inner{"inner"},
      outer{"outer"};
  const DistanceKind exact = DistanceKind::exact;
  return {
      {{"interval", 1, 1, {{"range", Form::numbers, 2, 2}}, exact, "what lies between two numbers"},
       make_interval,
       spell<IntervalDistance>},
      {{"disk", 2, 2, {center, radius}, exact, "a full circle"}, make_ball, spell<BallDistance>},
      {{"ball", 1, 128, {center, radius}, exact, "a full sphere"}, make_ball, spell<BallDistance>},
      {{"annulus", 2, 2, {center, inner, outer}, exact, "what lies between two circles"},
       make_shell,
       spell<ShellDistance>},
      {{"shell", 2, 128, {center, inner, outer}, exact, "what lies between two spheres"},
       make_shell,
       spell<ShellDistance>},
  };
}

}  // namespace pinn::shapes
