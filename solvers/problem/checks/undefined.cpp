// Formulas that have no value where they are asked for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/geometry/measure.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;
using Point = std::vector<double>;

constexpr int points_of_region = 200, candidates_of_region = 20'000;
constexpr std::size_t most_rows = 2000;  ///< of data

/// True of a formula that says the same for all fields.
bool is_given(const Expression& e) {
  return std::ranges::all_of(in_order(e), [](const Expression* node) {
    return is_pointwise(*node) || node->kind == Kind::number || node->kind == Kind::coordinate ||
           node->kind == Kind::unknown;
  });
}

/// The largest parts of a formula that say the same whatever the fields are. What only one region
/// or branch asks for is left out: elsewhere it may have no value.
void add_given(const ExpressionPtr& e, std::vector<ExpressionPtr>& all) {
  if (e->inputs.empty() || std::ranges::find(all, e) != all.end()) return;
  if (is_given(*e)) return all.push_back(e);
  if ((e->kind == Kind::call && e->name != "where") || e->kind == Kind::derivative)
    for (const ExpressionPtr& input : e->inputs) add_given(input, all);
}

double value_at(const Expression& e, const Problem& problem, const Point& x) {
  return evaluate(e, {.coordinates = x, .unknowns = starts(problem)});
}

/// The limit of a formula at a place on the way from another; nothing where there is none.
std::optional<double> limit_from(const Expression& e, const Problem& problem, const Point& at,
                                 const Point& from) {
  constexpr double near = 1e-4;
  double before = NAN;
  std::optional<double> found;
  double least = INFINITY;
  for (double share = 1e-1; share > 1e-9; share /= 10) {
    Point x = at;
    for (std::size_t c = 0; c < x.size(); ++c) x[c] += share * (from[c] - at[c]);
    const double value = value_at(e, problem, x);
    const double step = std::fabs(value - before);
    if (step < least && step <= near * std::max(1.0, std::fabs(value))) least = step, found = value;
    before = value;
  }
  return found;
}

/// The same from all sides of the domain.
std::optional<double> limit(const Expression& e, const Problem& problem, const Point& at) {
  constexpr double same = 1e-3, nothing = 1e-6;
  std::optional<double> found;
  for (const Point& from : some_points(*interior(problem))) {
    const auto other = limit_from(e, problem, at, from);
    if (!other || (found && std::fabs(*other - *found) > same * std::max(1.0, std::fabs(*found))))
      return {};
    if (!found) found = other;
  }
  if (found && std::fabs(*found) < nothing) found = 0;
  return found;
}

/// The comparison that leaves a place out: "x > 0"; empty where moving along no coordinate helps.
std::string elsewhere(const Expression& e, const Problem& problem, const Point& at) {
  for (std::size_t c = 0; c < at.size(); ++c) {
    const Coordinate& k = problem.coordinates[c];
    const double inwards = (k.lower + k.upper) / 2 - at[c];
    Point x = at;
    x[c] += 1e-3 * (inwards == 0 ? k.upper - k.lower : inwards);
    if (!std::isfinite(value_at(e, problem, x))) continue;
    if (at[c] == k.lower) return fmt::format("{} > {:g}", k.name, at[c]);
    if (at[c] == k.upper) return fmt::format("{} < {:g}", k.name, at[c]);
    return fmt::format("abs({} - {:g}) > 1e-9", k.name, at[c]);
  }
  return {};
}

/// A report of a part of a formula that has no value at a place; `what` it belongs to.
Report undefined(const Problem& problem, const Expression& e, const Point& at,
                 const std::string& what, const Text& text) {
  const std::string written = print(e, {problem, Scope::Use::output});
  const auto tends = limit(e, problem, at);
  const std::string there = elsewhere(e, problem, at);
  const std::string fix =
      tends && !there.empty()
          ? fmt::format(
                "its limit there is {0:.6g}: write where({1}, {2}, {0:.6g}) if that is meant",
                *tends, there, written)
          : "it has no limit there: write a formula that has a value, or ask elsewhere";
  return report(
      text, {0, text.value.size()},
      fmt::format("{} has no value at {}: {} is {}", what, place_text(problem.coordinates, at),
                  written, std::isnan(value_at(e, problem, at)) ? "nan there" : "infinite there"),
      fix);
}

/// The points at which a requirement is asked, or some that tell.
std::vector<Point> points_of(const Requirement& r) {
  std::vector<Point> all;
  if (r.data && r.data->count > 0) {
    const std::size_t d = r.data->rows.size() / r.data->count;
    for (std::size_t i = 0; i < std::min(r.data->count, most_rows); ++i)
      all.emplace_back(r.data->rows.begin() + std::ptrdiff_t(i * d),
                       r.data->rows.begin() + std::ptrdiff_t((i + 1) * d));
  }
  if (!r.region) return all;
  for (const Region* part : r.region->parts())
    for (Point& x : spread_points(*part, points_of_region, candidates_of_region))
      all.push_back(std::move(x));
  return all;
}

/// The first of some formulas that has no value at one of the points.
struct Found {
  ExpressionPtr formula;
  Point at;
};
std::optional<Found> first_undefined(const Problem& problem,
                                     const std::vector<ExpressionPtr>& formulas,
                                     const std::vector<Point>& points) {
  const std::vector<double> unknowns = starts(problem);
  for (const ExpressionPtr& e : formulas) {
    const Evaluator value(*e);
    for (const Point& x : points)
      if (!std::isfinite(value({.coordinates = x, .unknowns = unknowns}))) return Found{e, x};
  }
  return {};
}

/// A hard constraint, or a derivative of it that is asked, without a value at some of the points.
std::optional<Found> undefined_form(const Problem& problem, const Needs& all,
                                    const std::vector<Point>& points, int& field) {
  for (const Need& need : all) {
    const std::size_t f = std::size_t(need.field);
    if (f >= problem.outputs.size() || !problem.outputs[f]) continue;
    const auto asked = with_fields(make_derivative(make_leaf(Kind::field, need.field), need.index),
                                   possible_fields(problem, 0));
    field = need.field;
    if (auto found = first_undefined(problem, {asked}, points)) return found;
  }
  return {};
}

/// Reports of a residual, of its own formulas and of the forms of its fields.
void add_undefined(const Problem& problem, const Residual& residual, bool forms,
                   const std::vector<Point>& points, std::vector<Report>& reports) {
  std::vector<ExpressionPtr> given;
  add_given(residual.expression, given);
  if (const auto found = first_undefined(problem, given, points)) {
    reports.push_back(undefined(problem, *found->formula, found->at,
                                fmt::format("'{}'", residual.name), residual.text));
    return;
  }
  int field = 0;
  if (!forms) return;
  if (const auto found = undefined_form(problem, needs(*residual.expression), points, field))
    reports.push_back(
        {fmt::format("the form of {}, or a derivative of it that '{}' asks for, has no value at {}",
                     problem.fields[std::size_t(field)].name, residual.name,
                     place_text(problem.coordinates, found->at)),
         "network.output." + problem.fields[std::size_t(field)].name,
         "write a form that has all derivatives where conditions ask for them: none of log(x), "
         "sqrt(x) and 1/x at x = 0"});
}

}  // namespace

std::vector<Report> undefined_values(const Problem& problem) {
  std::vector<Report> reports;
  for (const Requirement& r : problem.requirements) {
    const std::vector<Point> points = points_of(r);
    const bool forms = r.kind == Requirement::Kind::condition && !is_integral(r);
    for (const Residual& residual : r.residuals)
      add_undefined(problem, residual, forms, points, reports);
  }
  return reports;
}

}  // namespace pinn
