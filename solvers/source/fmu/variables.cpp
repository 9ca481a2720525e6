#include <algorithm>
#include <set>

#include "solvers/problem/needs.h"
#include "solvers/source/fmu/description.h"
#include "solvers/state/windows.h"

namespace pinn {
namespace {

/// True if a formula changes with a coordinate. In windows of time each has a network and unknowns
/// of its own.
bool changes(const Expression& formula, int coordinate, const Run& run) {
  const Problem& problem = run.problem;
  if (window_count(run) > 1 && coordinate == time_of(problem) &&
      (!needs(formula).empty() || contains(formula, Expression::Kind::unknown)))
    return true;
  if (dependence(formula).coordinates[std::size_t(coordinate)] ||
      contains(formula, Expression::Kind::by_region))
    return true;
  return std::ranges::any_of(needs(formula), [&](const Need& need) {
    const std::vector<int>& inputs = problem.fields[std::size_t(need.field)].inputs;
    return inputs.empty() || std::ranges::find(inputs, coordinate) != inputs.end();
  });
}

}  // namespace

Fmu fmu_of(const Run& run, const std::vector<NamedFormula>& formulas) {
  const Problem& problem = run.problem;
  Fmu fmu;
  const int time = time_of(problem);
  std::set<std::string> taken;
  for (const NamedFormula& f : formulas) taken.insert(f.name);
  for (const Coordinate& c : problem.coordinates) {
    const std::string causality = c.role == Role::parameter ? "parameter" : "input";
    fmu.variables.push_back({c.name, causality, c.unit, c.lower, c.upper});
    taken.insert(c.name);
  }
  fmu.coordinates = fmu.variables.size();
  fmu.time = time < 0 ? fmu.coordinates : std::size_t(time);
  fmu.variables.resize(std::max(fmu.coordinates, fmu.time + 1));
  FmuVariable& independent = fmu.variables[fmu.time];
  independent.causality = "independent";
  if (independent.name.empty())
    for (independent.name = "time"; taken.contains(independent.name);) independent.name += '_';
  for (const NamedFormula& f : formulas) {
    fmu.variables.push_back({f.name, "output", f.unit});
    for (std::size_t i = 0; i < fmu.coordinates; ++i)
      if (changes(*f.expression, int(i), run)) fmu.variables.back().depends.push_back(i);
  }
  return fmu;
}

}  // namespace pinn
