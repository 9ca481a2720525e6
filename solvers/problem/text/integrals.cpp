/// Integrals and other places in formulas of fields: integral(e), mean(e), integral(e, s, a, b) and
/// at(e, x = ...).
#include "solvers/problem/integrals.h"

#include <fmt/format.h>

#include <algorithm>

#include "solvers/problem/expression.h"
#include "solvers/problem/text/parser.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;

constexpr const char* of_integrals = "write integral(e, s, a, b): of e, over s from a to b";
constexpr const char* of_places = "write at(u, x = 1), with any formula after the '='";

bool is_asked_for_all(std::string_view name) { return name == "integral" || name == "mean"; }

/// First node of a formula that stands beside integrals and is no number; null: there is none.
const Expression* beside(const ExpressionPtr& root, const PlaceRule* places) {
  std::vector<const Expression*> left{root.get()};
  while (!left.empty()) {
    const Expression* e = left.back();
    left.pop_back();
    if (e->kind == Kind::whole) continue;
    const bool coordinate = e->kind == Kind::coordinate;
    if (coordinate && places && !places->marked[std::size_t(e->index)]) continue;
    for (const Kind kind : {Kind::coordinate, Kind::field, Kind::derivative, Kind::normal,
                            Kind::column, Kind::elsewhere})
      if (e->kind == kind) return e;
    for (const ExpressionPtr& input : e->inputs) left.push_back(input.get());
  }
  return nullptr;
}

}  // namespace

/// True if a call asks for more than a point: in formulas of fields alone.
bool Parser::is_asked(const Token& name) const {
  const Scope& scope = of_points();
  if (scope.use != Scope::Use::residual || (inside_ && !within_) || meaning(scope, name.text))
    return false;
  return is_asked_for_all(name.text) || name.text == "at";
}

Built Parser::asked(const Token& name) {
  if (is_sign(")") || is_sign(","))
    mistakes_.fail(here().span, fmt::format("{}(...) of nothing", name.text),
                   name.text == "at" ? of_places : of_integrals);
  if (name.text == "at") return elsewhere(name);
  return name.text == "mean" || has_one_argument() ? whole(name) : integral(name);
}

/// The parenthesis after all that a call has.
void Parser::close(const Token& name, const char* usage) {
  if (here().kind == Token::Kind::end)
    mistakes_.fail(name.span, fmt::format("the '(' of {} is never closed", name.text), "add ')'");
  if (!is_sign(")"))
    mistakes_.fail(here().span, fmt::format("{}(...) has too many parts", name.text), usage);
  ++at_;
}

/// "e)" after "integral(" or "mean(".
Built Parser::whole(const Token& name) {
  if (!scope_.whole)
    mistakes_.fail(name.span,
                   fmt::format("{}(e) is one number of a whole region, and here a "
                               "formula of points is meant",
                               name.text),
                   "write it in the residual of an equation or a condition, or in [output.values]; "
                   "at every point there is integral(e, s, a, b)");
  if (within_)
    mistakes_.fail(name.span, fmt::format("{}(...) within another of its kind", name.text),
                   "take one number of a formula of fields, then reckon with that");
  within_ = true;
  const ExpressionPtr of = formula_by_place(name);
  within_ = false;
  close(name, "write integral(e) or mean(e), of one formula");
  return build_->made_of(make_whole(std::string(name.text), of),
                         {name.span.begin, words_[at_ - 1].span.end});
}

/// The second argument: the name of what an integral runs over.
Token Parser::bound_name(const Token& name) {
  int open = 0;
  for (std::size_t i = at_; i + 1 < last_ && open >= 0; ++i) {
    if (words_[i].kind != Token::Kind::sign) continue;
    open += (words_[i].text == "(") - (words_[i].text == ")");
    if (words_[i].text != "," || open > 0) continue;
    const Token &bound = words_[i + 1], &after = i + 2 < last_ ? words_[i + 2] : end_;
    if (bound.kind != Token::Kind::name || has_indices(bound.text) || after.text != ",") break;
    return bound;
  }
  mistakes_.fail(name.span, "this integral does not say over what, from where and to where",
                 of_integrals);
}

void Parser::require_new_bound(const Token& bound) {
  const bool taken = std::ranges::find(bound_, bound.text) != bound_.end() ||
                     std::ranges::find(indices_, bound.text, &Index::name) != indices_.end();
  if (taken || is_declared(of_points(), bound.text))
    mistakes_.fail(
        bound.span,
        fmt::format("{} is {} already", quoted(bound.text),
                    taken ? "what a sum or an integral around this one runs over" : "declared"),
        "give what this integral runs over a name of its own");
  if (is_reserved(bound.text))
    mistakes_.fail(bound.span, fmt::format("{} is a word of the language", quoted(bound.text)),
                   "give what this integral runs over a name of its own");
}

/// "e, s, a, b)" after "integral(".
Built Parser::integral(const Token& name) {
  const Token bound = bound_name(name);
  require_new_bound(bound);
  bound_.push_back(bound.text);
  const int number = int(bound_.size()) - 1;
  const ExpressionPtr of = build_->scalar(formula(Binding::comparison));
  bound_.pop_back();
  const auto comma = [&] {
    if (!is_sign(",")) mistakes_.fail(here().span, "an integral has four parts", of_integrals);
    ++at_;
  };
  comma();
  ++at_;  // the name
  comma();
  const ExpressionPtr lower = build_->scalar(formula(Binding::comparison));
  comma();
  const ExpressionPtr upper = build_->scalar(formula(Binding::comparison));
  close(name, of_integrals);
  const Span whole{name.span.begin, words_[at_ - 1].span.end};
  if (is_constant(*lower) && is_constant(*upper, lower->number))
    mistakes_.add(whole, fmt::format("an integral from {0} to {0} is of nothing", lower->number),
                  "give it two ends");
  return build_->made_of(
      make_integral(*make_bound(number, std::string(bound.text)), of, lower, upper), whole);
}

/// "e, x = g, y = h)" after "at(".
void Parser::must_lie_within(double place, const Coordinate& x, Span span) {
  if (place < x.lower || place > x.upper)
    mistakes_.add(span, fmt::format("{} = {} lies outside of the domain", x.name, place),
                  fmt::format("{} runs from {} to {}", x.name, x.lower, x.upper));
}

Built Parser::elsewhere(const Token& name) {
  const ExpressionPtr of = formula_by_place(name);
  const Problem& problem = of_points().problem;
  std::vector<ExpressionPtr> places(problem.coordinates.size());
  MultiIndex marked{};
  if (!is_sign(",")) mistakes_.fail(name.span, "at(...) does not say where", of_places);
  while (is_sign(",")) {
    ++at_;
    const Token along = here();
    const Meaning m =
        along.kind == Token::Kind::name ? meaning(of_points(), along.text) : Meaning{};
    if (m.kind != Meaning::Kind::coordinate)
      mistakes_.fail(along.span, "at(...) is told where by coordinates", of_places);
    ++at_;
    if (!is_sign("="))
      mistakes_.fail(along.span, fmt::format("at(...) does not say where along {}", along.text),
                     of_places);
    ++at_;
    const ExpressionPtr place = build_->scalar(formula(Binding::comparison));
    const Span whole{along.span.begin, words_[at_ - 1].span.end};
    const std::size_t c = std::size_t(m.index);
    if (marked[c])
      mistakes_.add(whole, fmt::format("at(...) has a second place along {}", along.text),
                    "leave one of them out");
    if (is_constant(*place)) must_lie_within(place->number, problem.coordinates[c], whole);
    marked[c] = 1;
    places[c] = place;
  }
  close(name, of_places);
  const Span whole{name.span.begin, words_[at_ - 1].span.end};
  for (const Kind kind : {Kind::normal, Kind::column})
    if (contains(*of, kind))
      mistakes_.add(whole, "a normal or a column of data is known at its own points only",
                    "multiply by it outside of at(...)");
  std::erase(places, nullptr);
  return build_->made_of(make_elsewhere(of, marked, places), whole);
}

/// The formula with integrals over bound numbers, and over some coordinates, as sums.
ExpressionPtr Parser::written_out(const ExpressionPtr& e) {
  const bool sums = scope_.places && contains(*e, Kind::whole);
  if (mistakes_.count() > 0 || (!sums && !contains(*e, Kind::integral))) return e;
  const double nodes = sums ? double(scope_.places->weights.size()) : 1;
  if (expanded_size(*e, scope_.quadrature, nodes) > max_nodes)
    mistakes_.fail({0, text_.value.size()},
                   fmt::format("these integrals, written out at {} nodes along each coordinate, "
                               "have more than {} parts",
                               scope_.quadrature, max_nodes),
                   "choose a smaller `quadrature`, or give the inner integral a field of its own");
  const ExpressionPtr all = expanded(e, scope_.quadrature);
  return sums ? summed(all, *scope_.places) : all;
}

/// Beside integrals over all of `on` there are numbers.
void Parser::require_numbers(const ExpressionPtr& e) {
  if (mistakes_.count() > 0 || !contains(*e, Kind::whole)) return;
  const Expression* found = beside(e, scope_.places);
  if (!found) return;
  const bool inside = found->begin < found->end && found->end <= text_.value.size();
  const Span span = inside ? Span{found->begin, found->end} : Span{0, text_.value.size()};
  mistakes_.add(span, "this changes from point to point, and an integral beside it is one number",
                "keep constants and unknowns beside integrals, and put the rest into one");
}

}  // namespace pinn
