// Functions that may be added to a field though nothing that is asked tells.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;
using Coordinates = std::vector<int>;

constexpr std::size_t few_coordinates = 8;  ///< of more, functions of one are looked for only

bool holds(const Coordinates& all, int c) { return std::ranges::find(all, c) != all.end(); }

/// All that a function may depend on, larger ones first.
std::vector<Coordinates> subsets(const Problem& problem, const Field& field) {
  Coordinates own = field.inputs;
  for (int c = 0; field.inputs.empty() && c < int(problem.coordinates.size()); ++c)
    own.push_back(c);
  std::vector<Coordinates> all;
  if (own.size() > few_coordinates)
    for (const int c : own) all.push_back({c});
  for (std::size_t k = 0; own.size() <= few_coordinates && k < std::size_t(1) << own.size(); ++k) {
    Coordinates& some = all.emplace_back();
    for (std::size_t i = 0; i < own.size(); ++i)
      if (k >> i & 1) some.push_back(own[i]);
  }
  if (own.size() > few_coordinates) all.emplace_back();
  std::ranges::stable_sort(all, std::ranges::greater(), &Coordinates::size);
  return all;
}

/// True where the field itself is asked for, or a derivative of it by these alone.
bool sees(const std::vector<MultiIndex>& orders, const Coordinates& some) {
  return std::ranges::any_of(orders, [&](const MultiIndex& index) {
    for (int c = 0; c < max_coordinates; ++c)
      if (index[std::size_t(c)] > 0 && !holds(some, c)) return false;
    return true;
  });
}

/// Some function of these coordinates that is 0, with its slope, where one of them ends: what is
/// asked there alone does not see it, and it is periodic.
Formula some_function(const Problem& problem, const Coordinates& some) {
  Formula f(0.7), phase(0.3);
  for (const int c : some) {
    const Coordinate& k = problem.coordinates[std::size_t(c)];
    const Formula x(make_leaf(Kind::coordinate, c));
    const double scale = 4 / ((k.upper - k.lower) * (k.upper - k.lower));
    f = f * power(Formula(scale) * (x - Formula(k.lower)) * (Formula(k.upper) - x), 2);
    phase = phase + Formula((1.1 + 0.2 * c) / (k.upper - k.lower)) * x;
  }
  return f * (Formula(1.5) + sin(phase));
}

bool known_at_points(const Expression& e) {
  return !contains(e, Kind::whole) && !contains(e, Kind::elsewhere) &&
         !contains(e, Kind::integral) && !contains(e, Kind::bound) && !contains(e, Kind::before);
}

/// True where a residual changes on its region when a function is added to a field.
bool changes(const Problem& problem, const Region& region, const ExpressionPtr& residual, int field,
             const Formula& added) {
  const auto any = [&](int f) { return arbitrary(problem, std::size_t(f), 0); };
  const auto shifted = [&](int f) { return f == field ? (Formula(any(f)) + added).e : any(f); };
  const ExpressionPtr before = with_fields(residual, any);
  const ExpressionPtr after = with_fields(residual, shifted);
  for (const Region* part : region.parts()) {
    const std::vector<double> a = values_on(*part, *before, starts(problem));
    const std::vector<double> b = values_on(*part, *after, starts(problem));
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(std::fabs(a[i] - b[i]) <= 1e-9 * (1 + std::fabs(a[i])))) return true;
  }
  return false;
}

/// True where anything that is asked sees a function of these coordinates in a field.
bool is_seen(const Problem& problem, const FieldUses& uses, int field, const Coordinates& some) {
  const Formula added = some_function(problem, some);
  for (const FieldUses::Use& use : uses.of(field)) {
    if (!use.residual) continue;  // periodic conditions ask for differences
    if (!sees(use.orders, some) && !sees(use.elsewhere, some)) continue;
    const Requirement& r = *use.requirement;
    const ExpressionPtr& residual = use.residual->expression;
    const bool at_points = r.kind == Requirement::Kind::condition && r.region &&
                           !use.of_integrals && known_at_points(*residual);
    if (!at_points || changes(problem, *r.region, residual, field, added)) return true;
  }
  return false;
}

bool is_differentiated(const FieldUses& uses, int field) {
  return std::ranges::any_of(uses.of(field), [](const FieldUses::Use& use) {
    return use.residual && std::ranges::any_of(use.orders, [](const MultiIndex& index) {
             return order(index) > 0;
           });
  });
}

/// True where the network can add any function of these coordinates to the field: the factor of its
/// output must not depend on others, nor on the output.
bool can_add(const Problem& problem, int field, const Coordinates& some) {
  const std::size_t f = std::size_t(field);
  if (f >= problem.outputs.size() || !problem.outputs[f]) return true;
  const Evaluator output(*problem.outputs[f]);
  const std::vector<double> unknowns = starts(problem);
  const auto factor = [&](const std::vector<double>& x, double n) {
    const auto at = [&](double raw) {
      return output({.coordinates = x, .unknowns = unknowns, .raw_output = raw});
    };
    return at(n + 1) - at(n);
  };
  bool any = false;
  const auto points = some_points(*interior(problem));
  for (const std::vector<double>& from : points) {
    const double first = factor(from, 0);
    for (std::vector<double> x : points)
      for (const double n : {0.0, 1.0, -3.0}) {
        for (const int c : some) x[std::size_t(c)] = from[std::size_t(c)];
        if (!(std::fabs(factor(x, n) - first) <= 1e-9 * std::fabs(first))) return false;
      }
    any = any || first != 0;
  }
  return any;
}

/// "x = 0 and y = 0": what is left of space and time when some coordinates run.
std::string pin_text(const Problem& problem, const Coordinates& some) {
  std::string text;
  for (std::size_t c = 0; c < problem.coordinates.size(); ++c)
    if (const Coordinate& k = problem.coordinates[c];
        k.role != Role::parameter && !holds(some, int(c)))
      text += fmt::format("{}{} = {}", text.empty() ? "" : " and ", k.name, k.lower);
  return text;
}

}  // namespace

std::vector<GaugeMode> gauge_modes(const Problem& problem) {
  std::vector<GaugeMode> modes;
  const FieldUses uses(problem);
  for (int f = 0; f < int(problem.fields.size()); ++f) {
    if (!is_differentiated(uses, f)) continue;
    const std::size_t before = modes.size();
    for (Coordinates& some : subsets(problem, problem.fields[std::size_t(f)])) {
      const bool known = std::any_of(
          modes.begin() + std::ptrdiff_t(before), modes.end(),
          [&](const GaugeMode& mode) { return std::ranges::includes(mode.coordinates, some); });
      if (known || some.size() == problem.coordinates.size() || is_seen(problem, uses, f, some) ||
          !can_add(problem, f, some))
        continue;
      modes.push_back({f, std::move(some)});
    }
  }
  return modes;
}

Warnings open_constants(const Problem& problem) {
  Warnings warnings;
  for (const GaugeMode& mode : gauge_modes(problem)) {
    const std::string& name = problem.fields[std::size_t(mode.field)].name;
    std::vector<std::string> of;
    for (const int c : mode.coordinates) of.push_back(problem.coordinates[std::size_t(c)].name);
    const std::string any = of.empty() ? "a constant" : fmt::format("a function of {}", listed(of));
    const std::string why =
        of.empty()
            ? fmt::format("everything asks for its derivatives, and nothing for {} itself", name)
            : fmt::format("nothing that is asked changes when one is added to {}", name);
    const std::string at =
        of.empty() ? "at a point" : fmt::format("at a point, for all {}", listed(of));
    warnings.push_back({fmt::format("'{}' is determined up to {} only: {}", name, any, why),
                        "the equations and conditions",
                        fmt::format("pin it {}: a [[condition]] with on = \"{}\" and residual = "
                                    "\"{} = 0\"",
                                    at, pin_text(problem, mode.coordinates), name)});
  }
  return warnings;
}

}  // namespace pinn
