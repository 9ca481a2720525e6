#include "solvers/problem/text/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solvers/problem/evaluate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/text/indices.h"
#include "solvers/problem/words.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;

bool is_nothing(const Expression& e) { return is_constant(e) && std::isnan(e.number); }

}  // namespace

Built Builder::value(ExpressionPtr e, Span span) const {
  return {{placed(e, span.begin, span.end)}, false, span};
}

Built Builder::nothing(Span span) const { return value(make_number(std::nan("")), span); }

Built Builder::number(double x, Span span) const { return value(make_number(x), span); }

Built Builder::column(int index, Span span) const {
  return value(make_leaf(Kind::column, index), span);
}

Built Builder::made_of(const ExpressionPtr& e, Span span) {
  for (const ExpressionPtr& input : e->inputs)
    if (is_nothing(*input)) return nothing(span);
  return {{counted(e, span)}, false, span};
}

Built Builder::delta(const std::vector<Built>& arguments, Span whole) {
  if (arguments.size() != 2) {
    mistakes_.add(whole, "delta(...) has a place and a width", "write delta(x - 0.5, 0.01)");
    return nothing(whole);
  }
  const ExpressionPtr place = scalar(arguments[0]), width = scalar(arguments[1]);
  if (is_constant(*width) && !(width->number > 0) && !is_nothing(*width)) {
    mistakes_.add(arguments[1].span, fmt::format("a bump of the width {}", width->number),
                  "write a width above 0, as in delta(x - 0.5, 0.01)");
    return nothing(whole);
  }
  const ExpressionPtr size = made("div", {place, width}, whole);
  const ExpressionPtr bump =
      made("exp", {made("mul", {make_number(-0.5), made("square", {size}, whole)}, whole)}, whole);
  const ExpressionPtr scaled =
      made("mul", {width, make_number(std::sqrt(2 * std::numbers::pi))}, whole);
  return value(made("div", {bump, scaled}, whole), whole);
}

void Builder::warn(Span span, std::string what, std::string fix) {
  constexpr std::size_t most = 100;
  if (warnings_.size() < most)
    warnings_.push_back(report(text_, span, std::move(what), std::move(fix)));
}

ExpressionPtr Builder::scalar(const Built& v) {
  if (!v.is_vector) return v.parts[0];
  mistakes_.add(v.span,
                fmt::format("a vector of {} components where one number is meant", v.parts.size()),
                "take dot(a, b) or div(a) of it, or write a residual per component");
  return nothing(v.span).parts[0];
}

Built Builder::tuple(std::vector<Built> parts, Span span) {
  Built v{{}, true, span};
  for (const Built& part : parts) v.parts.push_back(scalar(part));
  return v;
}

Built Builder::negative(const Built& a, Span span) {
  Built v{{}, a.is_vector, span};
  for (const ExpressionPtr& part : a.parts) v.parts.push_back(made("neg", {part}, span));
  return v;
}

Built Builder::binary(std::string_view op, const Built& a, const Built& b, Span sign) {
  const Span whole{a.span.begin, b.span.end};
  const bool sums = op == "add" || op == "sub";
  const bool fits = sums ? a.is_vector == b.is_vector && a.parts.size() == b.parts.size()
                         : !b.is_vector && (!a.is_vector || op == "mul" || op == "div");
  const bool scales = op == "mul" && b.is_vector && !a.is_vector;
  if (!fits && !scales) {
    const auto kind = [](const Built& v) {
      return v.is_vector ? fmt::format("a vector of {}", v.parts.size()) : std::string("a number");
    };
    mistakes_.add(sign, fmt::format("{} and {} do not go together here", kind(a), kind(b)),
                  "add vectors of one size, scale them by numbers, or take dot(a, b)");
    return nothing(whole);
  }
  Built v{{}, a.is_vector || b.is_vector, whole};
  for (std::size_t i = 0; i < std::max(a.parts.size(), b.parts.size()); ++i)
    v.parts.push_back(
        made(op, {a.parts[a.is_vector ? i : 0], b.parts[b.is_vector ? i : 0]}, whole));
  return v;
}

ExpressionPtr Builder::made(std::string_view op, std::vector<ExpressionPtr> inputs, Span span) {
  bool numbers = true;
  for (const ExpressionPtr& input : inputs) {
    if (is_nothing(*input)) return nothing(span).parts[0];
    numbers = numbers && is_constant(*input);
  }
  if (op == "div" && is_constant(*inputs[1], 0)) {
    mistakes_.add(span, "division by zero", "change the denominator");
    return nothing(span).parts[0];
  }
  if (numbers) return folded(op, inputs, span);
  return counted(make_call(std::string(op), std::move(inputs)), span);
}

ExpressionPtr Builder::folded(std::string_view op, const std::vector<ExpressionPtr>& inputs,
                              Span span) {
  std::vector<double> numbers;
  for (const ExpressionPtr& input : inputs) numbers.push_back(input->number);
  const double result = op_value(op, numbers);
  if (!std::isfinite(result)) {
    std::string arguments;
    for (const double x : numbers)
      arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ", x);
    mistakes_.add(span,
                  fmt::format("this constant is not finite: {} of {} is {}", op, arguments,
                              std::isnan(result) ? "nan"
                              : result < 0       ? "-inf"
                                                 : "inf"),
                  "keep constants within the function's domain and below 1.7e308");
    return nothing(span).parts[0];
  }
  return placed(number_of(result, inputs), span.begin, span.end);
}

ExpressionPtr Builder::counted(ExpressionPtr e, Span span) {
  if (e->nodes > max_nodes)
    mistakes_.fail(
        span, fmt::format("this formula, defines written out, has more than {} parts", max_nodes),
        "split it into several fields or requirements");
  if (e->depth > max_depth)
    mistakes_.fail(
        span,
        fmt::format("this formula is more than {} levels deep (a sum is one deeper per term)",
                    max_depth),
        "put groups of terms in parentheses");
  return placed(e, span.begin, span.end);
}

Built Builder::distance(std::string_view region, Span name, Span whole) {
  std::vector<std::string> known{"box"};
  for (const NamedRegion& r : scope_.problem.regions) known.push_back(r.name);
  if (std::ranges::find(known, region) == known.end()) {
    mistakes_.add(name, fmt::format("{} is no region", quoted(region)),
                  "regions are: " + listed(known));
    return nothing(whole);
  }
  if (scope_.use == Scope::Use::constant || scope_.use == Scope::Use::value) {
    mistakes_.add(whole, "a distance depends on where it is taken", "write a number or a constant");
    return nothing(whole);
  }
  const std::string text = distance_text(scope_.problem, region);
  if (text.empty()) {
    mistakes_.add(name, fmt::format("the distance to {} has no formula", quoted(region)),
                  "use regions of shapes that have one: docs/geometry.md says which");
    return nothing(whole);
  }
  Warnings of_the_formula;  // the user wrote none of it
  return value(parse_expression({text, text_.place, false}, scope_, of_the_formula), whole);
}

Built Builder::initial(std::string_view of, Span whole) {
  const Meaning m = meaning(scope_, of);
  const bool time = m.kind == Meaning::Kind::coordinate &&
                    scope_.problem.coordinates[std::size_t(m.index)].role == Role::time;
  if (scope_.use != Scope::Use::output)
    mistakes_.add(whole, "initial(...) has a meaning in [network.output] only",
                  "ask for it by a condition with on = \"initial\"");
  else if (time)
    return value(make_call("initial", {make_leaf(Kind::coordinate, m.index)}), whole);
  else if (m.kind == Meaning::Kind::field)
    return value(make_call("initial", {make_leaf(Kind::field, m.index)}), whole);
  else
    mistakes_.add(whole, fmt::format("{} is no field, and not time", quoted(of)),
                  "write initial(u) for a field u, or initial(t) for the lower end of time");
  return nothing(whole);
}

}  // namespace pinn
