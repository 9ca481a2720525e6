#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/problem/tables.h"
#include "solvers/problem/text/builder.h"

// The part of Builder that knows functions from data.
namespace pinn {

using Kind = Expression::Kind;

bool Builder::own_is_allowed(const NamedFunction& function, std::string_view name, Span span) {
  for (std::size_t i = 0; i < function.own.size(); ++i) {
    const std::string& input = function.table->options().inputs[i];
    if (function.own[i]) {
      const bool field = function.own[i]->kind == Kind::field;
      if (!allowed(
              {field ? Meaning::Kind::field : Meaning::Kind::coordinate, function.own[i]->index},
              input, span))
        return false;
      continue;
    }
    mistakes_.add(span,
                  fmt::format("{} alone is no formula: {} is no coordinate and no field",
                              quoted(name), quoted(input)),
                  fmt::format("call it, as in {}(...)", name));
    return false;
  }
  return true;
}

Built Builder::own(const NamedFunction& function, Span span) {
  if (!own_is_allowed(function, function.name, span)) return nothing(span);
  std::vector<Built> inputs;
  for (const ExpressionPtr& input : function.own) inputs.push_back(value(input, span));
  return looked_up(function, inputs, span);
}

Built Builder::at_constants(const NamedFunction& function, const std::vector<ExpressionPtr>& inputs,
                            Span whole) {
  std::vector<double> x;
  for (const ExpressionPtr& input : inputs) x.push_back(input->number);
  const TableFunction& table = *function.table;
  const int outside = table.options().outside == Outside::error ? table.outside(x) : -1;
  if (outside < 0) return value(number_of(table(x), inputs), whole);
  const std::size_t i = std::size_t(outside);
  mistakes_.add(whole, beyond_text(table, i, x[i]), beyond_fix);
  return nothing(whole);
}

Built Builder::looked_up(const NamedFunction& function, const std::vector<Built>& arguments,
                         Span whole) {
  const std::vector<std::string>& names = function.table->options().inputs;
  if (arguments.size() != names.size()) {
    std::string call;
    for (const std::string& name : names) call += (call.empty() ? "" : ", ") + name;
    mistakes_.add(whole,
                  fmt::format("{} has {} argument{}, and is a table of {}", quoted(function.name),
                              arguments.size(), arguments.size() == 1 ? "" : "s", names.size()),
                  fmt::format("write {}({}), with any formula for each", function.name, call));
    return nothing(whole);
  }
  std::vector<ExpressionPtr> inputs;
  bool trained = false;
  for (const Built& argument : arguments) {
    inputs.push_back(scalar(argument));
    const Expression& e = *inputs.back();
    if (e.kind == Kind::number && std::isnan(e.number)) return nothing(whole);
    for (const Kind kind : {Kind::field, Kind::unknown, Kind::raw_output})
      trained = trained || contains(e, kind);
  }
  if (trained && function.table->options().interpolation == Interpolation::nearest) {
    mistakes_.add(whole,
                  fmt::format("{} is a table of nearest values of what is trained: training would "
                              "see no slope",
                              quoted(function.name)),
                  "write interpolation = \"linear\" or \"cubic\"");
    return nothing(whole);
  }
  if (std::ranges::all_of(inputs, [](const ExpressionPtr& e) { return is_constant(*e); }))
    return at_constants(function, inputs, whole);
  return value(counted(make_lookup(function.table, std::move(inputs)), whole), whole);
}

}  // namespace pinn
