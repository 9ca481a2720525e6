#include "solvers/problem/hard/surfaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "data/geometry/measure.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/parse.h"

namespace pinn::hard {
namespace {

using Kind = Expression::Kind;
using Point = std::vector<double>;

constexpr double nearness = 1e-9;  ///< of the domain's longest side, to a surface
/// So that at a corner a derivative is no 0 / 0.
constexpr double least_square = 1e-36;
constexpr int probes = 500;  ///< of a part
/// More pieces of a boundary, and longer texts, are no formula to pay for at every point.
constexpr std::size_t most_pieces = 200, longest_text = 20'000;

bool is_join(const Expression& e) {
  return e.kind == Kind::call && (e.name == "min" || e.name == "max");
}

/// Collects the operands of one op, however it is nested.
void operands(const ExpressionPtr& e, const std::string& op, std::vector<ExpressionPtr>& all) {
  if (!is_join(*e) || e->name != op) return all.push_back(e);
  for (const ExpressionPtr& input : e->inputs) operands(input, op, all);
}

class RFunctions {
 public:
  ExpressionPtr operator()(const ExpressionPtr& e) {
    if (const auto done = done_.find(e.get()); done != done_.end()) return done->second;
    return done_[e.get()] = made(e);
  }

 private:
  ExpressionPtr made(const ExpressionPtr& e) {
    if (!is_pointwise(*e)) return e;
    if (!is_join(*e)) {
      std::vector<ExpressionPtr> inputs;
      for (const ExpressionPtr& input : e->inputs) inputs.push_back((*this)(input));
      return inputs == e->inputs ? e : with_inputs(*e, std::move(inputs));
    }
    std::vector<ExpressionPtr> all;
    operands(e, e->name, all);
    for (ExpressionPtr& one : all) one = (*this)(one);
    return joined(all, 0, all.size(), e->name == "max").e;
  }

  /// Halves first: each operand is written as often as it is deep.
  static Formula joined(const std::vector<ExpressionPtr>& all, std::size_t first, std::size_t last,
                        bool largest) {
    if (last - first == 1) return Formula(all[first]);
    const std::size_t middle = (first + last) / 2;
    const Formula a = joined(all, first, middle, largest), b = joined(all, middle, last, largest);
    const Formula root = sqrt(power(a, 2) + power(b, 2) + Formula(least_square));
    return largest ? a + b + root : a + b - root;
  }

  std::map<const Expression*, ExpressionPtr> done_;
};

}  // namespace

ExpressionPtr with_r_functions(const ExpressionPtr& e) { return RFunctions()(e); }

Surfaces::Surfaces(const Problem& problem) : problem_(problem) {
  if (!problem.domain) return;
  size_ = longest_side(problem);
  boundary_ = parse_region({{"boundary", {}, false}}, problem);
  if (boundary_->parts().size() > most_pieces) return;
  inside_ = spread_points(*interior(problem), 2000, 400'000);
  for (const Region* part : boundary_->parts())
    for (Point& x : spread_points(*part, probes, 200 * probes))
      on_boundary_.push_back(std::move(x));
  for (const NamedRegion& region : problem.regions) add(region.name, region.smooth);
  add("the domain", problem.smooth_domain);
  std::ranges::stable_sort(all_, {}, [](const SmoothSurface& s) { return s.function->nodes; });
}

/// A function, and those that it joins: the sides of a convex body may be surfaces of their own.
void Surfaces::add(const std::string& name, const SpelledDistance& smooth) {
  if (!smooth) return;
  std::vector<std::string> x;
  for (const int c : space_coordinates(problem_))
    x.push_back(problem_.coordinates[std::size_t(c)].name);
  const Text written{smooth(x), {}, false};
  if (written.value.size() > longest_text) return;
  Warnings ignored;
  const ExpressionPtr whole = parse_expression(written, {problem_, Scope::Use::formula}, ignored);
  add_side(name, whole);
  for (const Expression* node : in_order(*whole))
    if (is_join(*node))
      for (const ExpressionPtr& side : node->inputs) add_side(name, side);
}

/// None that goes through the domain, or is nowhere on its boundary.
void Surfaces::add_side(const std::string& name, const ExpressionPtr& side) {
  Formula function(with_r_functions(side));
  const Evaluator value(*function.e);
  const auto positive =
      std::ranges::count_if(inside_, [&](const Point& p) { return value({.coordinates = p}) > 0; });
  if (positive != 0 && positive != std::ptrdiff_t(inside_.size())) return;
  if (positive == 0) function = -function;
  SmoothSurface surface{name, tanh(function * Formula(2 / size_)).e, {}};
  const Evaluator scaled(*surface.function);
  for (const Point& x : on_boundary_)
    surface.on.push_back(std::fabs(scaled({.coordinates = x})) <= nearness);
  if (std::ranges::count(surface.on, true) > 0) all_.push_back(std::move(surface));
}

bool Surfaces::covers(std::size_t surface, std::size_t other) const {
  for (std::size_t i = 0; i < on_boundary_.size(); ++i)
    if (all_[other].on[i] && !all_[surface].on[i]) return false;
  return true;
}

bool Surfaces::covers_face(std::size_t surface, int coordinate, bool upper) const {
  const Coordinate& c = problem_.coordinates[std::size_t(coordinate)];
  const double end = upper ? c.upper : c.lower;
  bool any = false;
  for (std::size_t i = 0; i < on_boundary_.size(); ++i)
    if (std::fabs(on_boundary_[i][std::size_t(coordinate)] - end) <= nearness * size_) {
      if (!all_[surface].on[i]) return false;
      any = true;
    }
  return any;
}

Surfaces::Found Surfaces::on(const Region& region, const Region& part) const {
  const std::vector<Point> points = spread_points(part, probes, 200 * probes);
  if (!boundary_ || points.empty()) return {{}, "no point of its surface was found"};
  std::string why;
  for (std::size_t k = 0; k < all_.size(); ++k) {
    const Evaluator value(*all_[k].function);
    const auto lies_on = [&](const Point& x) {
      return std::fabs(value({.coordinates = x})) <= nearness;
    };
    if (!std::ranges::all_of(points, lies_on)) continue;
    bool whole = true;
    for (std::size_t i = 0; i < on_boundary_.size(); ++i)
      whole = whole && (!all_[k].on[i] || region.inside(on_boundary_[i], nearness * size_));
    if (whole) return {k, ""};
    if (why.empty()) why = fmt::format("it asks on a part of the surface of {}", all_[k].name);
  }
  if (!why.empty()) return {{}, why};
  const bool outer = std::ranges::all_of(
      points, [&](const Point& x) { return boundary_->inside(x, nearness * size_); });
  return {{}, outer ? "its surface has no smooth function" : "it asks within the domain"};
}

}  // namespace pinn::hard
