#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "data/geometry/shapes/arcs.h"
#include "data/geometry/shapes/kinds.h"

namespace pinn::shapes {
namespace {

/// The circle and the wedge in one: by the distance s from the line of the nearer edge, above 0
/// beyond it, and how far w along it. Beyond the edge its ends count; before it its inner end does
/// where the wedge is wider than half a turn.
template <class T> struct SectorDistance {
  std::vector<T> center;
  T radius, cos_middle, sin_middle, cos_half, sin_half, wide;
  explicit SectorDistance(const Values<T>& a)
      : center(a.numbers("center")), radius(a.number("radius")) {
    const T from = a.numbers("angles")[0], to = a.numbers("angles")[1];
    const T middle = (from + to) / T(2.0), half = (to - from) / T(2.0);
    cos_middle = cosine(middle);
    sin_middle = sine(middle);
    cos_half = cosine(half);
    sin_half = sine(half);
    wide = is_less(cos_half, T(0.0));
  }
  T operator()(Place<T> x) const {
    const T dx = x[0] - center[0], dy = x[1] - center[1];
    const T u = dx * cos_middle + dy * sin_middle, v = magnitude(dy * cos_middle - dx * sin_middle);
    const T w = u * cos_half + v * sin_half, s = v * cos_half - u * sin_half;
    const T past = square(most(w - radius, T(0.0))), before = square(most(-w, T(0.0)));
    const T ends = past + (T(1.0) - wide) * before;
    const T edge = s + longer(s, ends) - wide * longer(s, before);
    return most(root(square(dx) + square(dy)) - radius, edge);
  }
};

std::vector<Interval> bounds_of(double x, double y, double r, double from, double to) {
  std::vector<Interval> box{{x, x}, {y, y}};
  const auto add = [&](double angle) {
    const double at[] = {x + r * std::cos(angle), y + r * std::sin(angle)};
    for (int c : {0, 1}) box[c] = {std::min(box[c].lower, at[c]), std::max(box[c].upper, at[c])};
  };
  add(from);
  add(to);
  const double quarter = std::numbers::pi / 2;
  for (double k = std::ceil(from / quarter); k * quarter < to; ++k) add(k * quarter);
  return box;
}

ShapePtr make_sector(const Values<double>& a, int) {
  check_positive(a, "radius");
  const double x = a.numbers("center")[0], y = a.numbers("center")[1], r = a.number("radius");
  const double from = a.numbers("angles")[0], to = a.numbers("angles")[1], turn = to - from;
  if (!(turn > 1e-9 && turn < 2 * std::numbers::pi - 1e-9 && std::fabs(from) < 1e3))
    refuse("angles", fmt::format("a sector goes from the angle {} to {}", from, to),
           "give two angles in radians, the second larger by less than a turn; a full turn is a "
           "disk");
  const SamplerPtr interior =
      interior_map(2, r * r * turn / 2,
                   [=](std::span<const double> cube, std::span<double> at, std::span<double>) {
                     const double far = r * std::sqrt(cube[0]), angle = from + turn * cube[1];
                     at[0] = x + far * std::cos(angle);
                     at[1] = y + far * std::sin(angle);
                   });
  const auto edge = [&](double angle, double side) {
    const double c = std::cos(angle), s = std::sin(angle);
    return flat_piece({x, y}, {{r * c, r * s}}, {-side * s, side * c});
  };
  return analytic<SectorDistance>(a,
                                  {bounds_of(x, y, r, from, to),
                                   interior,
                                   {arc_piece({x, y}, r, from, to), edge(from, -1), edge(to, 1)}});
}

}  // namespace

std::vector<Kind> sector_kinds() {
  using Form = ShapeArgument::Form;
  return {{{"sector",
            2,
            2,
            {{"center", Form::point}, {"radius"}, {"angles", Form::numbers, 2, 2}},
            DistanceKind::exact,
            "a piece of a disk between two angles, in radians"},
           make_sector,
           spell<SectorDistance>}};
}

}  // namespace pinn::shapes
