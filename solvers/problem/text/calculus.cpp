#include <fmt/format.h>

#include <cmath>

#include "data/tables/scattered_table.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/text/builder.h"
#include "solvers/problem/words.h"

// The part of Builder that knows functions and derivatives.
namespace pinn {

using Kind = Expression::Kind;

/// Mistake that a call of no function is.
void Builder::refuse_call(std::string_view function, Span name) {
  const Meaning m = meaning(scope_, function);
  if (m) {
    mistakes_.add(name, fmt::format("{} is not a function", quoted(function)),
                  m.kind == Meaning::Kind::field || m.kind == Meaning::Kind::define
                      ? fmt::format("write {} alone: it is taken at every point of `on`", function)
                      : fmt::format("write an explicit '*' to multiply: {}*(...)", function));
  } else if (!readings(scope_, function).empty()) {
    mistakes_.add(name, fmt::format("{} is a derivative and not a function", quoted(function)),
                  fmt::format("write {} alone: it is taken at every point of `on`", function));
  } else if (function == "diff" || function == "derivative" || function == "Derivative") {
    mistakes_.add(name, fmt::format("there is no function {}", quoted(function)),
                  "write a derivative as d(u, x), a second one as d(u, x, 2), or as u_x and u_xx");
  } else if (is_promised(function)) {
    const Report found = promise(function);
    mistakes_.add(name, found.what, found.fix);
  } else {
    const std::string near = nearest(function, function_names());
    mistakes_.add(name, fmt::format("there is no function {}", quoted(function)),
                  (near.empty() ? "" : fmt::format("did you mean {}? ", quoted(near))) +
                      "functions are: " + listed(function_names()));
  }
}

Built Builder::call(std::string_view function, const std::vector<Built>& arguments, Span name,
                    Span whole) {
  const Function* f = find_function(function);
  if (f == nullptr) {
    const Meaning m = meaning(scope_, function);
    if (m.kind == Meaning::Kind::function)
      return allowed(m, function, name)
                 ? looked_up(scope_.problem.functions[std::size_t(m.index)], arguments, whole)
                 : nothing(whole);
    refuse_call(function, name);
    return nothing(whole);
  }
  const int count = int(arguments.size());
  if (count < f->least || count > f->most) {
    mistakes_.add(
        name, fmt::format("{} has {} argument{}", quoted(function), count, count == 1 ? "" : "s"),
        "write " + usage(*f));
    return nothing(whole);
  }
  if (function == "d") return d(arguments, whole);
  if (function == "laplacian") return laplacian(arguments[0], whole);
  if (function == "grad") return grad(arguments[0], whole);
  if (function == "div") return div(arguments, whole);
  if (function == "dot") return dot(arguments[0], arguments[1], whole);
  std::vector<ExpressionPtr> inputs;
  for (const Built& argument : arguments) inputs.push_back(scalar(argument));
  return value(made(function, std::move(inputs), whole), whole);
}

/// Report on a word that means nothing where it stands.
Report Builder::promise(std::string_view word) const {
  const bool residual = scope_.use == Scope::Use::residual;
  return {residual ? fmt::format("{} needs what it is of in parentheses", quoted(word))
                   : fmt::format("{}(...) means nothing here", word),
          "",
          residual ? "write integral(u), mean(u), integral(e, s, a, b) or at(u, x = 1)"
                   : "use it in residuals, in defines, or in [output.values]"};
}

Built Builder::d(const std::vector<Built>& arguments, Span whole) {
  const ExpressionPtr of = scalar(arguments[0]), by = scalar(arguments[1]);
  if (is_constant(*by) && std::isnan(by->number)) return nothing(whole);
  if (by->kind != Kind::coordinate) {
    mistakes_.add(arguments[1].span, "a derivative is taken by a coordinate",
                  "write d(expression, x)");
    return nothing(whole);
  }
  double order = 1;
  if (arguments.size() == 3) {
    const ExpressionPtr times = scalar(arguments[2]);
    if (!is_constant(*times)) {
      mistakes_.add(arguments[2].span, "the third argument of 'd' is a whole number, the order",
                    "write d(d(expression, x), y) for a mixed derivative");
      return nothing(whole);
    }
    order = times->number;
  }
  if (std::isnan(order)) return nothing(whole);
  if (order < 1 || order > max_order || order != std::floor(order)) {
    mistakes_.add(arguments[2].span, fmt::format("{} is not an order of a derivative", order),
                  fmt::format("write a whole number from 1 to {}", max_order));
    return nothing(whole);
  }
  if (!is_constant(*of) || !std::isnan(of->number)) {
    const Dependence on = dependence(*of);
    const std::string& x = scope_.problem.coordinates[std::size_t(by->index)].name;
    if (!on.on(by->index) && !on.points)
      warn(whole, fmt::format("this derivative is 0: its argument does not change with {}", x),
           "leave it out, or look for a misspelled name");
  }
  MultiIndex index{};
  index[std::size_t(by->index)] = std::uint8_t(order);
  return value(derivative(of, index, whole), whole);
}

ExpressionPtr Builder::derivative(const ExpressionPtr& of, const MultiIndex& by, Span span) {
  constexpr long most_work = 1 << 18;
  if (is_constant(*of)) return std::isnan(of->number) ? of : number(0, span).parts[0];
  work_ += of->nodes;
  if (work_ > most_work)
    mistakes_.fail(span, "this formula takes derivatives of too much",
                   "name common parts in [problem.define]");
  const Dependence on = dependence(*of);
  for (int c = 0; c < max_coordinates; ++c)
    if (by[std::size_t(c)] > 0 && !on.on(c) && !on.points) return number(0, span).parts[0];
  if (of->kind == Kind::coordinate) return number(order(by) == 1 ? 1 : 0, span).parts[0];
  const ExpressionPtr e = counted(make_derivative(of, by), span);
  if (!look_at_obstacles(*e, span)) return nothing(span).parts[0];
  // what is looked up at points is known there with its derivatives, and so is what formulas say
  constexpr int most_written_out = 1000;
  const bool looked_up = contains(*of, Kind::lookup) && !on.fields && !on.points;
  const bool known = looked_up || (of->nodes <= most_written_out && is_smooth_and_known(*of));
  return known ? counted(substitute_fields(e, {}), span) : e;
}

/// True if the text there says distance(...) itself, and no abs, relu, min or max.
bool Builder::of_distance(Span span) const {
  const std::string_view there =
      std::string_view(text_.value).substr(span.begin, span.end - span.begin);
  const auto says = [&](std::string_view word) { return there.find(word) != there.npos; };
  return says("distance(") && !says("abs(") && !says("relu(") && !says("min(") && !says("max(");
}

/// Mistake that a derivative of a table with too few of its own is.
void Builder::refuse_rough(const Obstacle& o, const std::string& what, Span span) {
  if (o.node->table->options().interpolation == Interpolation::linear)
    mistakes_.add(span,
                  fmt::format("{} is a linear table of points that fill no grid: its second "
                              "derivative jumps",
                              what),
                  "write interpolation = \"cubic\"");
  else
    mistakes_.add(span,
                  fmt::format("{} is a cubic table: its third derivative jumps at every {}", what,
                              is_scattered(*o.node->table) ? "point" : "knot"),
                  "split the equation with one more field, so that two are enough");
}

/// Mistake that an obstacle to a derivative is.
void Builder::refuse_obstacle(const Obstacle& o, const std::string& what, Span span) {
  switch (o.kind) {
    case Obstacle::Kind::order:
      mistakes_.add(span, fmt::format("this derivative has an order above {}", max_order),
                    "split the equation with one more field");
      break;
    case Obstacle::Kind::jump: {
      const std::string& x = scope_.problem.coordinates[std::size_t(o.coordinate)].name;
      mistakes_.add(
          span,
          fmt::format("{} jumps along {}: its derivative would lose the term at the interface",
                      what, x),
          fmt::format(
              "write an equation per side (on = \"{0} < C\", on = \"{0} > C\") and a condition "
              "on \"{0} = C\", or a smooth step such as sigmoid(({0} - C)/width)",
              x));
      break;
    }
    case Obstacle::Kind::nearest:
      mistakes_.add(span,
                    fmt::format("{} is a table of nearest values: it has no derivative", what),
                    "write interpolation = \"linear\" or \"cubic\"");
      break;
    case Obstacle::Kind::rough:
      refuse_rough(o, what, span);
      break;
    case Obstacle::Kind::elsewhere:
      mistakes_.add(span, "not yet: a derivative of at(...) or of an integral",
                    "take the derivative inside, as in at(u_x, x = 1)");
      break;
    case Obstacle::Kind::point:
      mistakes_.add(span, "a normal, a column or N under a derivative: it is known at points only",
                    "take derivatives of fields and coordinates, and multiply outside");
      break;
    default:
      break;
  }
}

/// Warning of one that a derivative can pass.
void Builder::warn_of_obstacle(const Obstacle& o, const std::string& what, Span span) {
  switch (o.kind) {
    case Obstacle::Kind::switched:
      warn(span,
           fmt::format("{} under a derivative: where it switches, the derivative lacks a term",
                       what),
           "right where both sides meet without a jump; else use a smooth function");
      break;
    case Obstacle::Kind::kink:
      warn(span,
           fmt::format("{} has a kink, and its second derivative is taken as 0 there",
                       of_distance(span) ? "a distance" : what),
           "use a smooth function, such as sqrt(a^2 + 1e-6) for abs or softplus for relu");
      break;
    case Obstacle::Kind::flat:
      warn(span,
           fmt::format("{} is a linear table, and its second derivative is 0 in every cell", what),
           "write interpolation = \"cubic\"");
      break;
    default:
      break;
  }
}

bool Builder::look_at_obstacles(const Expression& derivative, Span span) {
  bool fine = true;
  for (const Obstacle& o : obstacles(derivative)) {
    const std::string sign(comparison_sign(o.node->name));
    const std::string what = quoted(sign.empty() ? o.node->name : sign);
    const bool passes = o.kind == Obstacle::Kind::switched || o.kind == Obstacle::Kind::kink ||
                        o.kind == Obstacle::Kind::flat;
    fine = fine && passes;
    passes ? warn_of_obstacle(o, what, span) : refuse_obstacle(o, what, span);
  }
  return fine;
}

std::vector<int> Builder::space(std::string_view function, Span span) {
  std::vector<int> axes;
  const auto& coordinates = scope_.problem.coordinates;
  for (std::size_t c = 0; c < coordinates.size(); ++c)
    if (coordinates[c].role == Role::space) axes.push_back(int(c));
  if (axes.empty())
    mistakes_.add(span, fmt::format("{} acts on space, and no coordinate is space", function),
                  "write derivatives as d(u, t) or u_t");
  return axes;
}

ExpressionPtr Builder::sum(const std::vector<ExpressionPtr>& terms, Span span) {
  if (terms.empty()) return nothing(span).parts[0];
  ExpressionPtr total = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) total = made("add", {total, terms[i]}, span);
  return total;
}

Built Builder::laplacian(const Built& a, Span whole) {
  const ExpressionPtr of = scalar(a);
  std::vector<ExpressionPtr> terms;
  for (const int c : space("laplacian", whole))
    terms.push_back(derivative(of, unit_index(c) + unit_index(c), whole));
  return value(sum(terms, whole), whole);
}

Built Builder::grad(const Built& a, Span whole) {
  const ExpressionPtr of = scalar(a);
  Built v{{}, true, whole};
  for (const int c : space("grad", whole)) v.parts.push_back(derivative(of, unit_index(c), whole));
  return v.parts.empty() ? nothing(whole) : v;
}

Built Builder::div(const std::vector<Built>& arguments, Span whole) {
  const Built a =
      arguments.size() == 1 && arguments[0].is_vector ? arguments[0] : tuple(arguments, whole);
  const std::vector<int> axes = space("div", whole);
  if (axes.empty()) return nothing(whole);
  if (a.parts.size() != axes.size()) {
    mistakes_.add(
        whole,
        fmt::format("'div' has {} component{}, and space has {} coordinate{}", a.parts.size(),
                    a.parts.size() == 1 ? "" : "s", axes.size(), axes.size() == 1 ? "" : "s"),
        "give it one component per coordinate of space, in their order");
    return nothing(whole);
  }
  std::vector<ExpressionPtr> terms;
  for (std::size_t i = 0; i < axes.size(); ++i)
    terms.push_back(derivative(a.parts[i], unit_index(axes[i]), whole));
  return value(sum(terms, whole), whole);
}

Built Builder::dot(const Built& a, const Built& b, Span whole) {
  if (!a.is_vector || !b.is_vector || a.parts.size() != b.parts.size()) {
    mistakes_.add(whole, "'dot' takes two vectors of one size", "write dot((a, b), grad(u))");
    return nothing(whole);
  }
  std::vector<ExpressionPtr> terms;
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    terms.push_back(made("mul", {a.parts[i], b.parts[i]}, whole));
  return value(sum(terms, whole), whole);
}

}  // namespace pinn
