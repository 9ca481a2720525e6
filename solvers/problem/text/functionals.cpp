/// Numbers of formulas as a whole, integral(e) and its like, in the words of a value.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/problem/expression.h"
#include "solvers/problem/pieces.h"
#include "solvers/problem/text/parser.h"
#include "solvers/problem/text/region_pieces.h"

namespace pinn {
namespace {

constexpr std::pair<std::string_view, Functional::Kind> kinds[] = {
    {"integral", Functional::Kind::integral},
    {"mean", Functional::Kind::mean},
    {"max", Functional::Kind::max},
    {"min", Functional::Kind::min},
    {"at", Functional::Kind::at}};

const auto* kind_of(std::string_view name) {
  const auto* found = std::ranges::find(kinds, name, [](const auto& kind) { return kind.first; });
  return found == std::end(kinds) ? nullptr : found;
}

}  // namespace

bool ValueFormula::has_region() const {
  return std::ranges::any_of(functionals,
                             [](const Functional& f) { return f.kind != Functional::Kind::at; });
}

ValueFormula Parser::value(const Scope& inside) {
  inside_ = &inside;
  const ExpressionPtr e = build_->scalar(formula(Binding::comparison));
  if (is_sign("=")) mistakes_.fail(here().span, "an '=' in a value", "write a number, without '='");
  return {finished(e), std::move(functionals_)};
}

/// True if there is no comma between here and the parenthesis that closes.
bool Parser::has_one_argument() const {
  int open = 0;
  for (std::size_t i = at_; i < last_ && open >= 0; ++i) {
    const std::string_view word = words_[i].text;
    if (words_[i].kind != Token::Kind::sign) continue;
    open += (word == "(") - (word == ")");
    if (word == "," && open == 0) return false;
  }
  return true;
}

/// max and min of two numbers are what they are everywhere.
bool Parser::is_functional(const Token& name) const {
  const auto* kind = inside_ ? kind_of(name.text) : nullptr;
  if (!kind || meaning(scope_, name.text)) return false;
  const bool of_points =
      kind->second == Functional::Kind::at || kind->second == Functional::Kind::integral;
  if (within_ && of_points && !has_one_argument()) return false;  // at every point
  return (kind->second != Functional::Kind::max && kind->second != Functional::Kind::min) ||
         has_one_argument();
}

/// "e)" after "integral(", and "e, x = 1, y = 0)" after "at(".
Built Parser::functional(const Token& name) {
  constexpr std::size_t most = 100;
  if (within_)
    mistakes_.fail(name.span, fmt::format("{}(...) within another of its kind", name.text),
                   "take one number of a formula of fields, then reckon with that");
  if (functionals_.size() == most)
    mistakes_.fail(name.span, fmt::format("a value made of more than {} numbers", most),
                   "make several values of it");
  Functional taken{.kind = kind_of(name.text)->second, .of = {}};
  within_ = true;
  Scope scope = *inside_;
  if (taken.kind == Functional::Kind::at) scope.has_normal = false;
  taken.of =
      in_scope(scope, [&] { return written_out(build_->scalar(formula(Binding::comparison))); });
  within_ = false;
  if (taken.kind == Functional::Kind::at) taken.point = place(name);
  if (!is_sign(")")) unexpected();
  ++at_;
  functionals_.push_back(std::move(taken));
  return build_->column(int(functionals_.size()) - 1, {name.span.begin, words_[at_ - 1].span.end});
}

/// ", x = 1, y = 0": every coordinate, once.
std::vector<double> Parser::place(const Token& at) {
  const Problem& problem = scope_.problem;
  std::vector<double> point(problem.coordinates.size(), std::nan(""));
  std::vector<bool> said(point.size());
  const std::size_t first = at_;
  while (is_sign(",")) {
    ++at_;
    place_along(point, said);
  }
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < said.size(); ++i)
    if (!said[i]) missing.push_back(problem.coordinates[i].name);
  if (!missing.empty())
    mistakes_.fail(at.span, fmt::format("at(...) does not say where along {}", listed(missing)),
                   "give every coordinate a place: at(u, x = 0.5, t = 1)");
  const bool known = std::ranges::none_of(point, [](double x) { return std::isnan(x); });
  if (known && !in_domain(problem, point))
    mistakes_.add({words_[first].span.begin, words_[at_ - 1].span.end},
                  "this place is outside of the domain", "name one of the domain");
  return point;
}

/// "x = 1"
void Parser::place_along(std::vector<double>& point, std::vector<bool>& said) {
  const Token name = here();
  const Meaning m = name.kind == Token::Kind::name ? meaning(scope_, name.text) : Meaning{};
  if (m.kind != Meaning::Kind::coordinate)
    mistakes_.fail(name.span, "at(...) is told where by coordinates",
                   "write at(e, x = 0.5, t = 1), with places that are numbers or constants");
  const std::size_t i = std::size_t(m.index);
  ++at_;
  if (!is_sign("="))
    mistakes_.fail(here().span, fmt::format("at(...) does not say where along {}", name.text),
                   fmt::format("write {} = NUMBER", name.text));
  ++at_;
  const std::size_t begin = here().span.begin;
  const Scope constants{scope_.problem, Scope::Use::constant};
  const double x =
      in_scope(constants, [&] { return build_->scalar(formula(Binding::comparison)); })->number;
  const Span whole{begin, words_[at_ - 1].span.end};
  if (said[i])
    mistakes_.add(whole, fmt::format("at(...) has a second place along {}", name.text),
                  "leave one of them out");
  const Coordinate& c = scope_.problem.coordinates[i];
  const double near = snap * (c.upper - c.lower);
  if (x < c.lower - near || x > c.upper + near)
    mistakes_.add(whole, fmt::format("{} = {} lies outside of the domain", c.name, x),
                  fmt::format("{} runs from {} to {}", c.name, c.lower, c.upper));
  else
    point[i] = std::clamp(x, c.lower, c.upper);
  said[i] = true;
}

namespace {

/// The formulas of a value in every region that their meaning depends on, joined.
ValueFormula value_by_pieces(const Text& text, const Scope& outside, const Scope& inside,
                             Warnings& warnings) {
  const Problem& problem = inside.problem;
  const auto open = [&](int p) {
    const bool between =
        std::size_t(p) < inside.sides.size() && inside.sides[std::size_t(p)].from >= 0;
    return !between &&
           (std::size_t(p) >= problem.chosen.size() || problem.chosen[std::size_t(p)] < 0);
  };
  for (const int p : problem.pieces ? problem.pieces->mentioned(text) : std::vector<int>()) {
    if (!open(p)) continue;
    const PartitionPtr& partition = problem.pieces->partitions[std::size_t(p)];
    std::vector<int> chosen = problem.chosen;
    chosen.resize(problem.pieces->partitions.size(), -1);
    std::vector<ValueFormula> all;
    for (std::size_t r = 0; r < partition->size(); ++r) {
      chosen[std::size_t(p)] = int(r);
      const Scope there{problem.pieces->dialect(problem, chosen, warnings), inside.use,
                        inside.has_normal, inside.columns, inside.sides};
      all.push_back(value_by_pieces(text, outside, there, warnings));
    }
    for (std::size_t f = 0; f < all[0].functionals.size(); ++f) {
      std::vector<ExpressionPtr> of;
      for (const ValueFormula& one : all) of.push_back(one.functionals[f].of);
      all[0].functionals[f].of = make_by_region(partition, std::move(of));
    }
    return std::move(all[0]);
  }
  const std::vector<Token> words = tokens(text);
  return Parser(text, words, 0, words.size() - 1, outside, warnings).value(inside);
}

}  // namespace

ValueFormula parse_value(const Text& text, const Scope& inside, Warnings& warnings) {
  return value_by_pieces(text, {inside.problem, Scope::Use::value}, inside, warnings);
}

}  // namespace pinn
