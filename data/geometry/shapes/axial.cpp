#include <fmt/format.h>

#include <numbers>

#include "data/geometry/shapes/arcs.h"
#include "data/geometry/shapes/axial.h"
#include "data/geometry/shapes/kinds.h"

namespace pinn::shapes {
namespace {

constexpr double pi = std::numbers::pi;

/// A box that holds balls around the ends.
std::vector<Interval> around(const Values<double>& a, const std::vector<double>& reach_first,
                             const std::vector<double>& reach_last) {
  std::vector<Interval> box;
  for (std::size_t k = 0; k < reach_first.size(); ++k) {
    const double from = a.numbers("from")[k], to = a.numbers("to")[k];
    box.push_back({std::min(from - reach_first[k], to - reach_last[k]),
                   std::max(from + reach_first[k], to + reach_last[k])});
  }
  return box;
}

/// How far a disk of radius 1 across the axis reaches along each coordinate.
std::vector<double> reach_across(const std::vector<double>& direction, double radius) {
  std::vector<double> reach;
  for (double c : direction) reach.push_back(radius * std::sqrt(std::max(1 - c * c, 0.0)));
  return reach;
}

Axis<double> checked_axis(const Values<double>& a) {
  const Axis<double> axis(a);
  if (!(axis.size >= 1e-100))
    refuse("to", "an axis ends where it begins", "give two places that differ");
  return axis;
}

/// Parts of what stands upright at the origin, moved onto the axis.
Parts moved_parts(const Axis<double>& axis, std::vector<Interval> bounds, SamplerPtr interior,
                  Pieces surface) {
  const Motion motion = onto(axis.from, axis.direction);
  const int d = int(bounds.size());
  for (SamplerPtr& piece : surface) piece = moved(std::move(piece), motion, d - 1);
  return {std::move(bounds), moved(std::move(interior), motion, d), std::move(surface)};
}

/// A straight part and two half balls: those beyond the middle are moved to the other end.
/// Along the last coordinate, from 0 to `size`.
Pieces capsule_surface(int d, double r, double size) {
  if (d == 2)
    return {flat_piece({r, 0}, {{0, size}}, {1, 0}), flat_piece({-r, 0}, {{0, size}}, {-1, 0}),
            arc_piece({0, size}, r, 0, pi), arc_piece({0, 0}, r, pi, 2 * pi)};
  return {turned_line({r, 0}, {r, size}, 2 * pi),
          surface_map(3, 4 * pi * r * r,
                      [=](std::span<const double> cube, std::span<double> x, std::span<double> n) {
                        sphere_direction(cube, x);
                        for (int k = 0; k < 3; ++k) {
                          if (!n.empty()) n[k] = x[k];
                          x[k] *= r;
                        }
                        if (x[2] > 0) x[2] += size;
                      })};
}

ShapePtr make_capsule(const Values<double>& a, int d) {
  check_positive(a, "radius");
  const Axis<double> axis = checked_axis(a);
  const double r = a.number("radius"), size = axis.size;
  const double straight = d == 2 ? 2 * r * size : pi * r * r * size,
               round = d == 2 ? pi * r * r : 4 * pi / 3 * r * r * r;
  const SamplerPtr interior = interior_map(
      d, straight + round, [=](std::span<const double> cube, std::span<double> x, auto) {
        const auto [part, u] = share_of({straight, straight + round}, cube[0]);
        double way[3];
        const double side = part == 0 ? d - 1 : d;
        const double r_of_u = r * std::pow(u, 1 / side);
        if (part == 1 || d == 3)
          sphere_direction(cube.subspan(1, part + d - 2), {way, std::size_t(part + d - 1)});
        if (part == 0) {
          x[d - 1] = cube[d - 1] * size;
          if (d == 2) x[0] = (2 * u - 1) * r;
          for (int k = 0; d == 3 && k < 2; ++k) x[k] = r_of_u * way[k];
          return;
        }
        for (int k = 0; k < d; ++k) x[k] = r_of_u * way[k];
        if (x[d - 1] > 0) x[d - 1] += size;
      });
  const std::vector<double> reach(std::size_t(d), r);
  return analytic<CapsuleDistance>(
      a, moved_parts(axis, around(a, reach, reach), interior, capsule_surface(d, r, size)));
}

/// A trapezoid that turns about the axis.
Parts turned(const Values<double>& a, double first, double last) {
  const Axis<double> axis = checked_axis(a);
  std::vector<double> corners{0, 0};
  if (first > 0) corners.insert(corners.end(), {first, 0});
  if (last > 0) corners.insert(corners.end(), {last, axis.size});
  corners.insert(corners.end(), {0, axis.size});
  const auto outline = std::make_shared<const Outline>(corners, "radii");
  Pieces surface;
  if (first > 0) surface.push_back(turned_line({0, 0}, {first, 0}, 2 * pi));
  surface.push_back(turned_line({first, 0}, {last, axis.size}, 2 * pi));
  if (last > 0) surface.push_back(turned_line({last, axis.size}, {0, axis.size}, 2 * pi));
  return moved_parts(
      axis, around(a, reach_across(axis.direction, first), reach_across(axis.direction, last)),
      turned_interior(outline, 2 * pi), surface);
}

ShapePtr make_cylinder(const Values<double>& a, int) {
  check_positive(a, "radius");
  return analytic<CylinderDistance>(a, turned(a, a.number("radius"), a.number("radius")));
}

ShapePtr make_cone(const Values<double>& a, int) {
  const double first = a.numbers("radii")[0], last = a.numbers("radii")[1];
  if (!(first >= 0 && last >= 0 && first + last >= 1e-100))
    refuse("radii", fmt::format("'radii' are {} and {}", first, last),
           "give two radii, one of which may be 0");
  return analytic<ConeDistance>(a, turned(a, first, last));
}

}  // namespace

std::vector<Kind> axial_kinds() {
  using Form = ShapeArgument::Form;
  const ShapeArgument from{"from", Form::point}, to{"to", Form::point}, radius{"radius"},
      radii{"radii", Form::numbers, 2, 2};
  const DistanceKind exact = DistanceKind::exact;
  return {
      {{"capsule", 2, 3, {from, to, radius}, exact, "all within a distance of a line"},
       make_capsule,
       spell<CapsuleDistance>},
      {{"cylinder", 3, 3, {from, to, radius}, exact, "a round bar with flat ends"},
       make_cylinder,
       spell<CylinderDistance>},
      {{"cone", 3, 3, {from, to, radii}, exact, "a round bar of two radii, one of which may be 0"},
       make_cone,
       spell<ConeDistance>}};
}

}  // namespace pinn::shapes
