#include "solvers/problem/text/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/problem/expression.h"

namespace pinn {
namespace {

struct Infix {
  std::string_view op;
  Binding binding = Binding::none;
};

Infix infix(const Token& token) {
  if (token.kind != Token::Kind::sign) return {};
  if (token.text == "+") return {"add", Binding::additive};
  if (token.text == "-") return {"sub", Binding::additive};
  if (token.text == "*") return {"mul", Binding::multiplicative};
  if (token.text == "/") return {"div", Binding::multiplicative};
  if (token.text == "^") return {"pow", Binding::power};
  if (const auto op = comparison_op(token.text); !op.empty()) return {op, Binding::comparison};
  return {};
}

Binding tighter(Binding binding) { return Binding(int(binding) + 1); }

}  // namespace

Parser::Parser(const Text& text, const std::vector<Token>& words, std::size_t first,
               std::size_t last, const Scope& scope, Warnings& warnings)
    : text_(text),
      words_(words),
      scope_(scope),
      warnings_(warnings),
      at_(first),
      last_(last),
      end_(words[last]),
      mistakes_(text),
      own_(text, scope, mistakes_, warnings) {
  end_.kind = Token::Kind::end;
}

ExpressionPtr Parser::expression() {
  const ExpressionPtr e = build_->scalar(formula(Binding::comparison));
  refuse_equals();
  return written_out(finished(e));
}

Built Parser::vector() {
  const Built built = formula(Binding::comparison);
  refuse_equals();
  finished(built.parts[0]);
  return built;
}

void Parser::refuse_equals() {
  if (is_sign("="))
    mistakes_.fail(here().span, "an '=' in a formula", "write an expression without '='");
}

ExpressionPtr Parser::residual() {
  const Built left = formula(Binding::comparison);
  if (!is_sign("=")) return settled(build_->scalar(left));
  const Span equals = here().span;
  ++at_;
  const Built right = formula(Binding::comparison);
  if (is_sign("="))
    mistakes_.fail(here().span, "a second '=' in one residual", "write one equation per residual");
  const bool to_zero =
      !right.is_vector && is_constant(*right.parts[0], 0) && right.parts[0]->name.empty();
  return settled(build_->scalar(to_zero ? left : build_->binary("sub", left, right, equals)));
}

/// A residual, of numbers or of a point.
ExpressionPtr Parser::settled(const ExpressionPtr& e) {
  if (here().kind == Token::Kind::end) require_numbers(e);
  return written_out(finished(e));
}

/// The result, unless something is left over or was found to be wrong.
ExpressionPtr Parser::finished(const ExpressionPtr& e) {
  if (here().kind != Token::Kind::end) unexpected();
  mistakes_.raise();
  return e;
}

Built Parser::formula(Binding loosest) {
  if (++depth_ > max_nesting)
    mistakes_.fail(here().span,
                   fmt::format("more than {} levels of parentheses, signs or powers", max_nesting),
                   "name the inner parts in [problem.define]");
  Built left = operand();
  while (true) {
    const Infix next = infix(here());
    if (next.binding < loosest || next.binding == Binding::none) break;
    const Span span = here().span;
    ++at_;
    // ^ takes what follows it first and may be followed by a sign: a^b^c is a^(b^c), 2^-x is
    // 2^(-x)
    const Built right =
        formula(next.binding == Binding::power ? Binding::sign : tighter(next.binding));
    left = build_->binary(next.op, left, right, span);
    if (next.binding == Binding::comparison && infix(here()).binding == Binding::comparison)
      mistakes_.fail(here().span, "comparisons in a chain",
                     "multiply two of them: (a < b)*(b < c)");
  }
  --depth_;
  return left;
}

Built Parser::operand() {
  const Token token = here();
  if (token.kind == Token::Kind::end)
    mistakes_.fail(token.span, "the formula ends where a number or name is missing", "complete it");
  ++at_;
  if (token.kind == Token::Kind::number)
    return juxtaposed(build_->number(token.number, token.span));
  if (token.kind == Token::Kind::name) return juxtaposed(is_sign("(") ? call(token) : name(token));
  if (token.text == "-" || token.text == "+") return signed_operand(token);
  if (token.text == "(") return juxtaposed(parenthesis(token));
  --at_;
  unexpected();
}

Built Parser::signed_operand(const Token& token) {
  const Built a = formula(Binding::sign);
  const Span whole{token.span.begin, a.span.end};
  if (token.text == "-") return build_->negative(a, whole);
  return a;
}

Built Parser::parenthesis(const Token& open) {
  std::vector<Built> parts = list(open);
  const Span whole{open.span.begin, words_[at_ - 1].span.end};
  if (parts.empty()) mistakes_.fail(whole, "empty parentheses", "write something between them");
  if (parts.size() > 1) return build_->tuple(std::move(parts), whole);
  parts[0].span = whole;
  return std::move(parts[0]);
}

Built Parser::call(const Token& name) {
  const Token open = here();
  ++at_;
  if (is_functional(name)) return functional(name);
  if (is_asked(name)) return asked(name);
  if (name.text == "initial" && here().kind == Token::Kind::name) return initial(name);
  if (name.text == "distance" && here().kind == Token::Kind::name) return distance(name);
  if (name.text == "sum" && !meaning(scope_, name.text)) return sum(name);
  if (name.text == "side" && !meaning(scope_, name.text)) return side(name);
  if (name.text == "jump" || (name.text == "average" && !meaning(scope_, name.text)))
    return jump(name);
  const std::vector<Built> arguments = list(open);
  if (name.text == "delta" && !meaning(scope_, name.text))
    return build_->delta(arguments, {name.span.begin, words_[at_ - 1].span.end});
  return build_->call(name.text, arguments, name.span, {name.span.begin, words_[at_ - 1].span.end});
}

Built Parser::name(const Token& token) {
  const auto index = std::ranges::find(indices_, token.text, &Index::name);
  if (index != indices_.end()) return build_->number(double(index->value), token.span);
  const auto bound = std::ranges::find(bound_, token.text);
  if (bound != bound_.end())
    return build_->made_of(make_bound(int(bound - bound_.begin()), std::string(token.text)),
                           token.span);
  if (!has_indices(token.text)) return build_->name(token.text, token.span);
  const std::string name =
      indexed_name(token.text, indices_, scope_.problem, mistakes_, token.span);
  return name.empty() ? build_->nothing(token.span) : build_->name(name, token.span);
}

/// "j, 1, 20, e)" after "sum(": e for every j, as if written out.
Built Parser::sum(const Token& name) {
  const auto usage = [&](Span span, std::string what) {
    mistakes_.fail(span, std::move(what), "write sum(j, 1, 20, k[j]*c[j])");
  };
  const Token variable = here();
  if (variable.kind != Token::Kind::name || has_indices(variable.text))
    usage(variable.span, "a sum begins with the name of its index");
  ++at_;
  require_new_index(variable);
  if (!is_sign(",")) usage(here().span, "a sum has an index, its ends and a formula");
  const long lower = bound_of_sum(), upper = bound_of_sum();
  if (!is_sign(",")) usage(here().span, "a sum has an index, its ends and a formula");
  const std::size_t formula_at = ++at_;
  const auto span = [&] { return Span{name.span.begin, words_[at_ - 1].span.end}; };
  if (lower > upper)
    mistakes_.fail(span(), fmt::format("a sum from {} to {} is of nothing", lower, upper),
                   "write the lower end first");
  if (upper - lower >= most_of_a_kind)
    mistakes_.fail(span(), fmt::format("a sum of {} terms", upper - lower + 1),
                   fmt::format("at most {} are possible", most_of_a_kind));
  Built total;
  const std::size_t mistakes = mistakes_.count();
  indices_.push_back({std::string(variable.text), lower});
  for (long j = lower; j <= upper && mistakes_.count() == mistakes; ++j) {
    at_ = formula_at;
    indices_.back().value = j;
    const Built term = formula(Binding::comparison);
    total = j == lower ? term : build_->binary("add", total, term, term.span);
  }
  indices_.pop_back();
  if (!is_sign(")")) unexpected();
  ++at_;
  total.span = span();
  return total;
}

/// The name of an index means nothing else.
void Parser::require_new_index(const Token& variable) {
  const bool taken = std::ranges::find(indices_, variable.text, &Index::name) != indices_.end() ||
                     std::ranges::find(bound_, variable.text) != bound_.end();
  if (taken || is_declared(scope_, variable.text))
    mistakes_.fail(
        variable.span,
        fmt::format("{} is {} already", quoted(variable.text),
                    taken ? "what a sum or an integral around this one runs over" : "declared"),
        "name the index otherwise");
  if (is_reserved(variable.text))
    mistakes_.fail(variable.span,
                   fmt::format("{} is a word of the language", quoted(variable.text)),
                   "name the index otherwise");
}

/// ", N": a whole number.
long Parser::bound_of_sum() {
  if (!is_sign(","))
    mistakes_.fail(here().span, "a sum has an index, its ends and a formula",
                   "write sum(j, 1, 20, k[j]*c[j])");
  ++at_;
  const Scope constants{scope_.problem, Scope::Use::constant};
  const Span first = here().span;
  const ExpressionPtr e =
      in_scope(constants, [&] { return build_->scalar(formula(Binding::additive)); });
  mistakes_.raise();
  if (e->number != std::floor(e->number) || std::fabs(e->number) > 1e9)
    mistakes_.fail({first.begin, words_[at_ - 1].span.end},
                   fmt::format("{} is no whole number", e->number), "write whole numbers as ends");
  return long(e->number);
}

/// "u)" after "initial(": no formula, for there is no field yet where this is said.
Built Parser::initial(const Token& name) {
  const Token of = here();
  ++at_;
  if (!is_sign(")"))
    mistakes_.fail(of.span, "initial(...) is of one name", "write initial(u), or initial(t)");
  ++at_;
  return build_->initial(of.text, {name.span.begin, words_[at_ - 1].span.end});
}

/// "NAME)" after "distance(": of a region, which no formula is.
Built Parser::distance(const Token& name) {
  const Token of = here();
  ++at_;
  if (!is_sign(")"))
    mistakes_.fail(of.span, "distance(...) is to one region", "write distance(NAME)");
  ++at_;
  return build_->distance(of.text, of.span, {name.span.begin, words_[at_ - 1].span.end});
}

/// "a, b, c)" after an opening parenthesis.
std::vector<Built> Parser::list(const Token& open) {
  std::vector<Built> items;
  if (is_sign(")")) return ++at_, items;
  while (true) {
    items.push_back(formula(Binding::comparison));
    if (is_sign(")")) return ++at_, items;
    if (here().kind == Token::Kind::end)
      mistakes_.fail(open.span, "this '(' is never closed", "add ')'");
    if (is_sign("="))
      mistakes_.fail(here().span, "an '=' within parentheses", "write one '=' between two sides");
    if (!is_sign(",")) unexpected();
    ++at_;
  }
}

/// Two operands side by side: mathematics multiplies them, this language wants to be told.
Built Parser::juxtaposed(Built left) {
  const Token& next = here();
  const bool operand =
      next.kind == Token::Kind::number || next.kind == Token::Kind::name || is_sign("(");
  if (!operand) return left;
  const std::string_view after = next.text;
  mistakes_.fail(next.span, fmt::format("an operator is missing before {}", quoted(after)),
                 "write an explicit '*' to multiply");
}

void Parser::unexpected() {
  const Token& token = here();
  if (token.text == ")")
    mistakes_.fail(token.span, "this ')' closes nothing", "remove it, or add '(' before");
  if (token.text == ",")
    mistakes_.fail(token.span, "a ',' outside of parentheses",
                   "put vectors in parentheses: (a, b)");
  mistakes_.fail(token.span,
                 fmt::format("a number, a name or '(' is missing before {}", quoted(token.text)),
                 "complete the formula");
}

}  // namespace pinn
