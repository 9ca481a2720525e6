#include <algorithm>
#include <limits>

#include "data/geometry/shapes/frame.h"
#include "data/geometry/shapes/kinds.h"

namespace pinn::shapes {
namespace {

template <class T> struct HalfspaceDistance {
  std::vector<T> point, normal;
  explicit HalfspaceDistance(const Values<T>& a)
      : point(a.numbers("point")), normal(unit(a.numbers("normal"))) {}
  T operator()(Place<T> x) const {
    T sum = (x[0] - point[0]) * normal[0];
    for (std::size_t k = 1; k < x.size(); ++k) sum = sum + (x[k] - point[k]) * normal[k];
    return sum;
  }
};

/// Infinite but where its normal lies along a coordinate.
std::vector<Interval> bounds_of(const HalfspaceDistance<double>& h) {
  const double huge = std::numeric_limits<double>::infinity();
  std::vector<Interval> box(h.point.size(), Interval{-huge, huge});
  for (std::size_t k = 0; k < box.size(); ++k) {
    if (h.normal[k] == 1) box[k].upper = h.point[k];
    if (h.normal[k] == -1) box[k].lower = h.point[k];
  }
  return box;
}

class Halfspace : public Analytic<HalfspaceDistance> {
 public:
  explicit Halfspace(const Values<double>& values)
      : Analytic(values, {bounds_of(HalfspaceDistance<double>(values)), nullptr, {}}),
        plane_(values) {}

  SamplerPtr interior() const override { unbounded(); }
  Pieces surface() const override { unbounded(); }
  bool bounded() const override { return false; }

  /// A square of the plane around what is nearest to the middle of the box, as wide as its
  /// diagonal.
  Pieces surface_within(const std::vector<Interval>& box) const override {
    const std::size_t d = box.size();
    std::vector<double> middle;
    double square = 0;
    for (const auto& [lower, upper] : box) {
      middle.push_back((lower + upper) / 2);
      square += (upper - lower) * (upper - lower);
    }
    if (!(square > 0 && square < std::numeric_limits<double>::infinity())) return {};
    const double off = plane_(Place<double>(middle)), reach = 0.51 * std::sqrt(square);
    if (std::fabs(off) > reach) return {};
    for (std::size_t k = 0; k < d; ++k) middle[k] -= off * plane_.normal[k];
    if (d == 1) return {point_piece(plane_.point[0], plane_.normal[0])};
    const Motion motion = onto(middle, plane_.normal);
    std::vector<double> origin(d, 0.0), up(d, 0.0);
    std::vector<std::vector<double>> edges;
    for (std::size_t k = 0; k + 1 < d; ++k) {
      origin[k] = -reach;
      edges.emplace_back(d, 0.0);
      edges[k][k] = 2 * reach;
    }
    up[d - 1] = 1;
    return {moved(flat_piece(origin, edges, up), motion, int(d) - 1)};
  }

 private:
  [[noreturn]] static void unbounded() {
    refuse("halfspace", "a half-space reaches to infinity",
           "cut it to a bounded shape: intersect it, or take it off one");
  }

  const HalfspaceDistance<double> plane_;
};

ShapePtr make_halfspace(const Values<double>& a, int) {
  if (!(length(Place<double>(a.numbers("normal"))) > 0))
    refuse("normal", "a normal has no direction", "give a vector that is not 0");
  return std::make_shared<Halfspace>(a);
}

}  // namespace

std::vector<Kind> halfspace_kinds() {
  using Form = ShapeArgument::Form;
  return {{{"halfspace",
            1,
            128,
            {{"point", Form::point}, {"normal", Form::point}},
            DistanceKind::exact,
            "all behind a plane: a part of formulas only"},
           make_halfspace,
           spell<HalfspaceDistance>}};
}

}  // namespace pinn::shapes
