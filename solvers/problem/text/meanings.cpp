// Meanings of names in a formula, where they may stand, and reports on those that mean nothing.
#include <fmt/format.h>

#include <algorithm>

#include "solvers/problem/expression.h"
#include "solvers/problem/text/builder.h"
#include "solvers/problem/text/indices.h"
#include "solvers/problem/words.h"

namespace pinn {

using Kind = Expression::Kind;

Built Builder::name(std::string_view name, Span span) {
  if (const Meaning m = meaning(scope_, name)) return declared_name(m, name, span);
  if (name == "pi") return number(std::numbers::pi, span);
  if (name == "N" && scope_.use == Scope::Use::output)
    return value(make_leaf(Kind::raw_output), span);
  if (name.starts_with("n_")) return normal_component(name, span);
  if (name == "n") return normal(span);
  if (is_reserved(name) || find_function(name)) return unknown_name(name, span);
  const std::vector<Reading> all = readings(scope_, name);
  if (all.size() == 1) return suffixed(all[0], name, span);
  if (all.empty()) return unknown_name(name, span);
  mistakes_.add(span, fmt::format("{} can be read in more than one way", quoted(name)),
                fmt::format("write {} or {}", all[0].spelled, all[1].spelled));
  return nothing(span);
}

bool Builder::allowed(const Meaning& m, std::string_view name, Span span) {
  using Use = Scope::Use;
  using Name = Meaning::Kind;
  if (scope_.use == Use::residual || m.kind == Name::constant) return true;
  const auto refuse = [&](std::string_view what, std::string_view where) {
    mistakes_.add(span, fmt::format("{} is {}, but {}", quoted(name), what, where),
                  fmt::format("usable here are: {}", declared(scope_)));
    return false;
  };
  const std::string_view where =
      scope_.use == Use::constant  ? "only constants have a meaning here"
      : scope_.use == Use::formula ? "this must be a formula of coordinates and constants"
      : scope_.use == Use::value
          ? "a value is one number: take the integral, mean, max, min or at of what varies"
          : "a hard constraint is a formula of coordinates, unknowns and N";
  if (m.kind == Name::field) return refuse("a field", where);
  if (m.kind == Name::unknown && scope_.use != Use::output && scope_.use != Use::value)
    return refuse("an unknown", where);
  if (m.kind == Name::function && (scope_.use == Use::constant || scope_.use == Use::value))
    return refuse("a function from data", where);
  if (m.kind == Name::coordinate && (scope_.use == Use::constant || scope_.use == Use::value))
    return refuse("a coordinate", where);
  if (m.kind != Name::define) return true;
  if (scope_.use == Use::constant) return refuse("a define", where);
  const auto is_made_of = [&](Kind kind) {
    return std::ranges::any_of(scope_.problem.defines[std::size_t(m.index)].parts,
                               [&](const ExpressionPtr& e) { return contains(*e, kind); });
  };
  if (is_made_of(Kind::field)) return refuse("made of fields", where);
  if (is_made_of(Kind::coordinate) && scope_.use == Use::value)
    return refuse("made of coordinates", where);
  if (is_made_of(Kind::normal)) return refuse("made with the normal", where);
  if (is_made_of(Kind::unknown) && scope_.use == Use::formula)
    return refuse("made of unknowns", where);
  return true;
}

Built Builder::declared_name(const Meaning& m, std::string_view name, Span span) {
  using Name = Meaning::Kind;
  if (!allowed(m, name, span)) return nothing(span);
  const Problem& p = scope_.problem;
  const std::size_t i = std::size_t(m.index);
  switch (m.kind) {
    case Name::coordinate:
      return value(make_leaf(Kind::coordinate, m.index), span);
    case Name::field:
      return value(make_leaf(Kind::field, m.index), span);
    case Name::unknown:
      return value(make_leaf(Kind::unknown, m.index), span);
    case Name::column:
      return value(make_leaf(Kind::column, m.index), span);
    case Name::constant:
      return value(make_number(p.constants[i].value, p.constants[i].name, p.constants[i].varies),
                   span);
    case Name::define:
      return define(p.defines[i], span);
    case Name::function:
      return own(p.functions[i], span);
    case Name::piecewise:
      return piecewise(name, span);
    case Name::none:
      break;
  }
  return nothing(span);
}

Built Builder::define(const Define& define, Span span) {
  for (const ExpressionPtr& part : define.parts)
    if (!scope_.has_normal && contains(*part, Kind::normal)) {
      mistakes_.add(
          span,
          fmt::format("{} is made with the normal, and there is none here", quoted(define.name)),
          "use it in a condition whose `on` lies in the boundary of space");
      return nothing(span);
    }
  return {define.parts, define.is_vector, span};  // the nodes themselves: shared
}

Built Builder::normal(Span span) {
  if (!scope_.has_normal || scope_.use != Scope::Use::residual) {
    mistakes_.add(span, "n, the outward normal, means nothing here: there is no normal",
                  "use it in a condition whose `on` lies in the boundary of space");
    return nothing(span);
  }
  Built n{{}, true, span};
  for (const int c : space("n", span)) n.parts.push_back(make_leaf(Kind::normal, c));
  return n.parts.empty() ? nothing(span) : n;
}

namespace {

/// "du", "d2u", "dx" and "dx2", where u and x are declared.
bool is_differential(const Scope& scope, std::string_view name) {
  if (!name.starts_with('d')) return false;
  name.remove_prefix(name.size() > 1 && is_digit(name[1]) ? 2 : 1);
  const std::string_view without = name.substr(0, name.find_last_not_of("0123456789") + 1);
  return !without.empty() && (meaning(scope, name) || meaning(scope, without));
}

}  // namespace

Built Builder::unknown_name(std::string_view name, Span span) {
  const auto wrong = [&](std::string what, std::string fix) {
    mistakes_.add(span, std::move(what), std::move(fix));
    return nothing(span);
  };
  if (is_promised(name)) return wrong(promise(name).what, promise(name).fix);
  if (const Function* f = find_function(name))
    return wrong(fmt::format("the function {} needs its arguments in parentheses", quoted(name)),
                 "write " + usage(*f));
  if (name == "jump")
    return wrong("jump is of a formula, in parentheses",
                 "write jump(e), in a condition where pieces meet");
  if (name == "N")
    return wrong("N is the network's raw output and has a meaning in [network.output] only",
                 "write the field itself");
  const std::vector<std::string> known = declared_names(scope_);
  const std::string_view kind = base_of(name.substr(0, name.find('_')));
  std::vector<std::string> of_kind;
  for (const std::string& one : known)
    if (has_indices(one) && (base_of(one) == kind || base_of(one) == base_of(name)))
      of_kind.push_back(one);
  if (!of_kind.empty()) {
    const std::string all = as_kinds(of_kind)[0];
    return has_indices(name) ? wrong(fmt::format("there is no {} among {}", quoted(name), all),
                                     "keep indices within their range")
                             : wrong(fmt::format("{} stands for many, {}", quoted(name), all),
                                     fmt::format("name one of them, as in {}", of_kind[0]));
  }
  if (has_indices(name) && meaning(scope_, kind))
    return wrong(fmt::format("{} has no indices", quoted(kind)),
                 fmt::format("declare it as \"{}[1:20]\", or write {}", kind, kind));
  if (is_differential(scope_, name))
    return wrong(fmt::format("{} is not declared", quoted(name)),
                 "write a derivative as u_x or d(u, x), a second one as u_xx or d(u, x, 2)");
  return undeclared(name, span);
}

/// A name that nothing declares: its likely meaning is the advice.
Built Builder::undeclared(std::string_view name, Span span) {
  const auto wrong = [&](std::string what, std::string fix) {
    mistakes_.add(span, std::move(what), std::move(fix));
    return nothing(span);
  };
  const std::vector<std::string> known = declared_names(scope_);
  const std::string near = nearest(name, known);
  const std::string list = fmt::format("declared are: {}", declared(scope_));
  if (!near.empty())
    return wrong(fmt::format("{} is not declared", quoted(name)),
                 fmt::format("did you mean {}? {}", quoted(near), list));
  if (const std::string function = nearest(name, function_names()); !function.empty())
    return wrong(fmt::format("{} is not declared", quoted(name)),
                 fmt::format("did you mean the function {}? {}", quoted(function), list));
  if (name == "e")
    return wrong("'e' is not declared: there is no constant e",
                 "write exp(1), or declare it; " + list);
  for (std::size_t at = name.find('_'); at != std::string_view::npos; at = name.find('_', at + 1))
    if (meaning(scope_, name.substr(0, at)).kind == Meaning::Kind::piecewise)
      return piecewise(name, span);
  const std::size_t underscore = name.find('_');
  const Meaning base = underscore == std::string_view::npos
                           ? Meaning{}
                           : meaning(scope_, name.substr(0, underscore));
  if (base.kind == Meaning::Kind::field || base.kind == Meaning::Kind::define)
    return wrong(fmt::format("{} looks like a derivative, but {} is not made of coordinates",
                             quoted(name), quoted(name.substr(underscore + 1))),
                 list);
  return wrong(fmt::format("{} is not declared", quoted(name)), list);
}

Built Builder::normal_component(std::string_view name, Span span) {
  const auto wrong = [&](std::string what, std::string fix) {
    mistakes_.add(span, std::move(what), std::move(fix));
    return nothing(span);
  };
  const std::string_view component = name.substr(2);
  const Meaning m = meaning(scope_, component);
  if (m.kind != Meaning::Kind::coordinate)
    return wrong(fmt::format("{} is a component of the normal, but {} is not a coordinate",
                             quoted(name), quoted(component)),
                 fmt::format("declared are: {}", declared(scope_)));
  if (scope_.problem.coordinates[std::size_t(m.index)].role != Role::space)
    return wrong(fmt::format("{}: the normal has components in space only", quoted(name)),
                 fmt::format("leave it out: it is 0 along {}", component));
  if (!scope_.has_normal || scope_.use != Scope::Use::residual)
    return wrong(fmt::format("{} means nothing here: there is no normal", quoted(name)),
                 "use it in a condition whose `on` lies in the boundary of space");
  return value(make_leaf(Kind::normal, m.index), span);
}

Built Builder::suffixed(const Reading& r, std::string_view name, Span span) {
  if (!allowed(r.base, r.base_name, span)) return nothing(span);
  if (r.total > max_order) {
    mistakes_.add(
        span, fmt::format("{} is a derivative of order {}", quoted(name), r.total),
        fmt::format("orders up to {} are possible; split the equation with one more field",
                    max_order));
    return nothing(span);
  }
  Built all = declared_name(r.base, r.base_name, span);
  if (!r.normal) {
    for (ExpressionPtr& part : all.parts)
      part = placed(derivative(part, r.order, span), span.begin, span.end);
    return all;
  }
  if (!scope_.has_normal) {
    mistakes_.add(
        span, fmt::format("{} is the normal derivative, and there is no normal here", quoted(name)),
        "use it in a condition whose `on` lies in the boundary of space");
    return nothing(span);
  }
  for (ExpressionPtr& part : all.parts) {
    std::vector<ExpressionPtr> terms;
    for (const int c : space("u_n", span))
      terms.push_back(
          made("mul", {make_leaf(Kind::normal, c), derivative(part, unit_index(c), span)}, span));
    part = placed(sum(terms, span), span.begin, span.end);
  }
  return all;
}

}  // namespace pinn
