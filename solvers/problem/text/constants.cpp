#include "solvers/problem/constants.h"

#include <fmt/format.h>

#include "solvers/problem/parse.h"

namespace pinn {
namespace {

std::vector<Definition> constants_of(const Problem& problem,
                                     const std::map<std::string, double>& values) {
  std::vector<Definition> all;
  for (const Constant& c : problem.constants) {
    const auto other = values.find(c.name);
    const std::string text = other == values.end() ? c.text : fmt::format("{:.17g}", other->second);
    all.push_back({{c.name, {}, false}, {text, {}, false}});
  }
  return all;
}

std::vector<Definition> defines_of(const Problem& problem) {
  std::vector<Definition> all;
  for (const Define& d : problem.defines) all.push_back({{d.name, {}, false}, {d.text, {}, false}});
  return all;
}

}  // namespace

Problem with_constants(const Problem& problem, const std::map<std::string, double>& values) {
  Problem other = problem;
  Warnings ignored;
  declare_constants(constants_of(problem, values), other);
  declare_defines(defines_of(problem), other, ignored);
  for (Requirement& r : other.requirements) {
    Scope scope{other, Scope::Use::residual};
    scope.has_normal = r.region && r.region->has_normal();
    if (r.data) scope.columns = r.data->columns;
    for (Residual& residual : r.residuals)
      if (!residual.text.value.empty())
        residual.expression = parse_residual(residual.text, scope, ignored);
  }
  return other;
}

}  // namespace pinn
