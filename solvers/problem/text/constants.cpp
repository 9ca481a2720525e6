#include "solvers/problem/integrals.h"
#include "solvers/problem/rewritten.h"

#include <fmt/format.h>

#include "solvers/problem/parse.h"
#include "solvers/problem/pieces.h"

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

/// The same of what means something else in every region.
std::shared_ptr<const PieceNames> with_constants(const PieceNames& pieces,
                                                 const std::map<std::string, double>& values) {
  auto other = std::make_shared<PieceNames>();
  other->partitions = pieces.partitions;
  other->fields = pieces.fields;
  other->constants = pieces.constants;
  other->defines = pieces.defines;
  for (PiecewiseDefinition& d : other->constants)
    if (const auto value = values.find(d.name.value); value != values.end())
      d.texts = {{fmt::format("{:.17g}", value->second), {}, false}};
  return other;
}

}  // namespace

Scope scope_of(const Requirement& r, const Problem& problem) {
  Scope scope{problem, Scope::Use::residual};
  scope.has_normal = r.region && r.region->has_normal();
  if (r.data) scope.columns = r.data->columns;
  std::vector<int> asked;
  for (const Residual& residual : r.residuals)
    for (const int p :
         problem.pieces ? problem.pieces->mentioned(residual.text) : std::vector<int>())
      asked.push_back(p);
  if (r.region && !asked.empty()) scope.sides = sides_of(*r.region, problem, asked);
  set_integrals(r, scope);
  return scope;
}

Problem with_constants(const Problem& problem, const std::map<std::string, double>& values) {
  Problem other = problem;
  Warnings ignored;
  if (problem.pieces) other.pieces = with_constants(*problem.pieces, values);
  declare_constants(constants_of(problem, values), other);
  for (std::size_t i = 0; i < other.constants.size(); ++i) {
    const Constant& before = problem.constants[i];
    other.constants[i].varies =
        before.varies || values.contains(before.name) || other.constants[i].value != before.value;
  }
  declare_defines(defines_of(problem), other, ignored);
  for (Requirement& r : other.requirements) {
    const Scope scope = scope_of(r, other);
    for (Residual& residual : r.residuals)
      if (!residual.text.value.empty())
        residual.expression = parse_residual(residual.text, scope, ignored);
  }
  return other;
}

}  // namespace pinn
