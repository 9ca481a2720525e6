#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "solvers/points/adaptive_points.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/expression.h"
#include "solvers/watch/warnings.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;

bool is_call(const Expression& e, const char* name) {
  return e.kind == Kind::call && e.name == name;
}

/// q of exp(-0.5 square(q)), as delta(...) is written out; else null.
const Expression* bump(const Expression& e) {
  if (!is_call(e, "exp") || !is_call(*e.inputs[0], "mul")) return nullptr;
  const Expression& half = *e.inputs[0];
  if (!is_constant(*half.inputs[0], -0.5) || !is_call(*half.inputs[1], "square")) return nullptr;
  return half.inputs[1]->inputs[0].get();
}

/// The q of bumps that are multiplied with each other: a source is where all of them are small.
using Source = std::vector<const Expression*>;

std::vector<Source> sources(const Expression& formula) {
  std::unordered_map<const Expression*, Source> factors;
  std::vector<Source> all;
  for (const Expression* e : in_order(formula)) {
    Source& of = factors[e];
    const bool product = is_call(*e, "mul") || is_call(*e, "div") || is_call(*e, "neg");
    if (const Expression* q = bump(*e)) {
      of = {q};
      continue;
    }
    for (const ExpressionPtr& input : e->inputs) {
      const Source& some = factors[input.get()];
      if (product)
        of.insert(of.end(), some.begin(), some.end());
      else if (!some.empty() && std::ranges::find(all, some) == all.end())
        all.push_back(some);
    }
  }
  if (const Source& whole = factors[&formula];
      !whole.empty() && std::ranges::find(all, whole) == all.end())
    all.push_back(whole);
  return all;
}

/// True if it is known where a source is, and a region reaches to several sides of it.
bool can_be_missed(const Source& source, const Region& region) {
  bool changes = false;
  for (const Expression* q : source)
    for (const Expression* e : in_order(*q)) {
      if (e->kind != Kind::number && e->kind != Kind::unknown && e->kind != Kind::coordinate &&
          e->kind != Kind::call)
        return false;
      changes = changes ||
                (e->kind == Kind::coordinate && !region.bounds()[std::size_t(e->index)].fixed());
    }
  return changes;
}

/// How many of some points lie within two widths of all that a source is made of.
std::size_t near(const Source& source, const PointSet& points,
                 const std::vector<double>& unknowns) {
  std::vector<Evaluator> all;
  for (const Expression* q : source) all.emplace_back(*q);
  const std::size_t d = points.x.size() / std::max<std::size_t>(1, points.count);
  std::size_t count = 0;
  for (std::size_t n = 0; n < points.count; ++n)
    count += std::ranges::all_of(all, [&](const Evaluator& q) {
      return std::fabs(q(
                 {.coordinates = std::span(points.x).subspan(n * d, d), .unknowns = unknowns})) < 2;
    });
  return count;
}

}  // namespace

Warnings unseen_sources(const Run& run) {
  constexpr std::size_t enough = 3;
  std::vector<double> unknowns;
  for (const Unknown& u : run.problem.unknowns) unknowns.push_back(u.start);
  Warnings all;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
    const Requirement& asked = run.problem.requirements[r];
    if (!asked.region || asked.region->dimension() == 0 || are_adaptive(run, r)) continue;
    for (const Residual& residual : asked.residuals)
      for (const Source& source : sources(*residual.expression)) {
        if (!can_be_missed(source, *asked.region)) continue;
        const PointSet points = points_of(run, r, "points", 0);
        const std::size_t seen = near(source, points, unknowns);
        if (seen >= enough) continue;
        all.push_back(
            {fmt::format("'{}' hardly sees a source: {} of its {} points lie{} within two "
                         "widths of delta(...)",
                         residual.name, seen, points.count, seen == 1 ? "s" : ""),
             residual.text.value,
             "take a wider source or more points; let them lie closer there with "
             "points = { density = ... }, or a stage's sampling choose them"});
      }
  }
  return all;
}

}  // namespace pinn
