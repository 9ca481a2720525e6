#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "data/geometry/shapes/kinds.h"

namespace pinn::shapes {
namespace {

/// Lower and upper corner of a box, however it was given.
template <class T> std::pair<std::vector<T>, std::vector<T>> ends(const Values<T>& a) {
  if (!a.has("center")) return {a.numbers("lower"), a.numbers("upper")};
  std::pair<std::vector<T>, std::vector<T>> both;
  for (std::size_t k = 0; k < a.numbers("center").size(); ++k) {
    const T half = a.numbers("size")[k] / T(2.0);
    both.first.push_back(a.numbers("center")[k] - half);
    both.second.push_back(a.numbers("center")[k] + half);
  }
  return both;
}

/// A box that is smaller by the rounding on every side, and all within the rounding of it.
template <class T> struct CuboidDistance {
  std::vector<T> lower, upper;
  T rounding = 0.0;
  explicit CuboidDistance(const Values<T>& a) {
    std::tie(lower, upper) = ends(a);
    if (a.has("rounding")) rounding = a.number("rounding");
    for (T& c : lower) c = c + rounding;
    for (T& c : upper) c = c - rounding;
  }
  T operator()(Place<T> x) const {
    T few[3];
    std::vector<T> many(x.size() > std::size(few) ? x.size() : 0);
    T* beyond = many.empty() ? few : many.data();
    for (std::size_t k = 0; k < x.size(); ++k) beyond[k] = most(lower[k] - x[k], x[k] - upper[k]);
    return box_rule(Place<T>(beyond, x.size())) - rounding;
  }
};

/// The face, the rounded edge or the rounded corner whose outward directions have these signs (0:
/// along it): a part of a sphere of as many dimensions as there are signs, times a box.
SamplerPtr side(const std::vector<Interval>& inner, double rounding, std::vector<int> signs) {
  const int d = int(inner.size()), k = d - int(std::count(signs.begin(), signs.end(), 0));
  double whole = sphere_measure(k) / std::pow(2, k) * std::pow(rounding, k - 1);
  for (int c = 0; c < d; ++c)
    if (signs[c] == 0) whole *= inner[c].upper - inner[c].lower;
  if (!(whole > 0)) return nullptr;
  return surface_map(d, whole,
                     [=](std::span<const double> cube, std::span<double> x, std::span<double> n) {
                       double part[2] = {}, out[3] = {1};
                       if (k > 1) {  // only directions above 0 in all
                         for (int c = 0; c < k - 1; ++c)
                           part[c] = c == k - 2 ? cube[c] / 4 : (1 + cube[c]) / 2;
                         sphere_direction({part, std::size_t(k - 1)}, {out, std::size_t(k)});
                       }
                       int next_out = 0, next = k - 1;
                       for (int c = 0; c < d; ++c) {
                         const auto [lower, upper] = inner[c];
                         const double way = signs[c] == 0 ? 0 : signs[c] * out[next_out++];
                         x[c] = signs[c] == 0 ? lower + cube[next++] * (upper - lower)
                                              : (signs[c] < 0 ? lower : upper) + rounding * way;
                         if (!n.empty()) n[c] = way;
                       }
                     });
}

Pieces sides(const std::vector<Interval>& bounds, double rounding) {
  const int d = int(bounds.size());
  std::vector<Interval> inner = bounds;
  for (Interval& i : inner) i = {i.lower + rounding, i.upper - rounding};
  Pieces pieces;
  for (int c = 0; c < d; ++c)
    for (int sign : {-1, 1}) {
      std::vector<int> signs(d);
      signs[c] = sign;
      pieces.push_back(side(inner, rounding, signs));
    }
  if (rounding > 0) {
    std::vector<int> signs(d, -1);
    for (bool more = true; more;) {
      if (d - std::count(signs.begin(), signs.end(), 0) > 1)
        pieces.push_back(side(inner, rounding, signs));
      more = false;
      for (int c = 0; c < d && !more; ++c) {
        more = signs[c] < 1;
        signs[c] = more ? signs[c] + 1 : -1;
      }
    }
  }
  std::erase(pieces, nullptr);  // faces that rounding leaves nothing of
  return pieces;
}

/// By how far it is rounded: the inner box, what stands on its sides, and parts of cylinders and
/// balls (Steiner's formula).
double rounded_measure(const std::vector<Interval>& bounds, double r) {
  double volume = 1, sum = 0, squares = 0;
  for (const Interval& i : bounds) {
    const double side = i.upper - i.lower - 2 * r;
    volume *= side;
    sum += side;
    squares += side * side;
  }
  const double pi = std::numbers::pi;
  if (bounds.size() == 1) return volume + 2 * r;
  if (bounds.size() == 2) return volume + 2 * r * sum + pi * r * r;
  return volume + r * (sum * sum - squares) + pi * r * r * sum + 4 * pi / 3 * r * r * r;
}

std::vector<Interval> checked_bounds(const Values<double>& a) {
  if (a.has("center") != a.has("size") || a.has("lower") != a.has("upper") ||
      a.has("center") == a.has("lower"))
    refuse(a.has("center") ? "size" : "lower", "a box is given by two of its arguments",
           "give center and size, or lower and upper");
  const auto [lower, upper] = ends(a);
  std::vector<Interval> bounds;
  for (std::size_t k = 0; k < lower.size(); ++k) {
    if (!(upper[k] - lower[k] >= 1e-100))
      refuse(a.has("size") ? "size" : "upper",
             fmt::format("a box goes from {} to {} along its coordinate {}", lower[k], upper[k],
                         k + 1),
             "give it a size above 0 along every coordinate");
    bounds.push_back({lower[k], upper[k]});
  }
  return bounds;
}

ShapePtr make_cuboid(const Values<double>& a, int dimension) {
  const std::vector<Interval> bounds = checked_bounds(a);
  const double rounding = a.has("rounding") ? a.number("rounding") : 0;
  double most_rounding = std::numeric_limits<double>::infinity();
  for (const Interval& i : bounds) most_rounding = std::min(most_rounding, (i.upper - i.lower) / 2);
  if (!(rounding >= 0 && rounding <= most_rounding))
    refuse("rounding",
           fmt::format("'rounding' is {}, and half the least side is {}", rounding, most_rounding),
           "give a radius that fits into the box, or none");
  if (rounding > 0 && dimension > 3)
    refuse("rounding", fmt::format("a box of {} dimensions is not rounded", dimension),
           "leave 'rounding' out in more than three dimensions");

  const CuboidDistance<double> distance(a);
  SamplerPtr interior = box_interior(bounds);
  if (rounding > 0)
    interior = interior_trial(dimension, interior->whole(), rounded_measure(bounds, rounding),
                              [box = interior, distance](std::span<const double> cube,
                                                         std::span<double> x, std::span<double> n) {
                                box->sample(cube, x, n);
                                return distance(x) <= 0;
                              });
  return analytic<CuboidDistance>(a, {bounds, interior, sides(bounds, rounding)});
}

}  // namespace

std::vector<Kind> cuboid_kinds() {
  using Form = ShapeArgument::Form;
  std::vector<ShapeArgument> arguments;
  for (const char* name : {"center", "size", "lower", "upper"})
    arguments.push_back({name, Form::point, 1, 1, true});
  arguments.push_back({"rounding", Form::number, 1, 1, true});
  const DistanceKind exact = DistanceKind::exact;
  return {{{"rectangle", 2, 2, arguments, exact, "a box of the plane, its corners round or not"},
           make_cuboid,
           spell<CuboidDistance>},
          {{"cuboid", 1, 128, arguments, exact, "a box, its edges round or not"},
           make_cuboid,
           spell<CuboidDistance>}};
}

}  // namespace pinn::shapes
