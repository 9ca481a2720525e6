#include "solvers/problem/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "solvers/problem/expression.h"
#include "solvers/problem/text/builder.h"
#include "solvers/problem/words.h"

namespace pinn {
namespace {

/// How tightly an operator holds its operands, loosest first.
enum Binding { comparison = 1, additive, multiplicative, sign, power };

struct Infix {
  std::string_view op;
  int binding = 0;  ///< 0: not an infix operator
};

Infix infix(const Token& token) {
  if (token.kind != Token::Kind::sign) return {};
  if (token.text == "+") return {"add", additive};
  if (token.text == "-") return {"sub", additive};
  if (token.text == "*") return {"mul", multiplicative};
  if (token.text == "/") return {"div", multiplicative};
  if (token.text == "^") return {"pow", power};
  if (const auto op = comparison_op(token.text); !op.empty()) return {op, comparison};
  return {};
}

/// Reads words [at, last) by operator precedence: Pratt, "Top down operator precedence", POPL 1973.
class Parser {
 public:
  Parser(const Text& text, const std::vector<Token>& words, std::size_t first, std::size_t last,
         const Scope& scope, Warnings& warnings)
      : words_(words),
        at_(first),
        last_(last),
        end_(words[last]),
        mistakes_(text),
        build_(text, scope, mistakes_, warnings) {
    end_.kind = Token::Kind::end;
  }

  ExpressionPtr expression() {
    const Built built = formula(comparison);
    return finished(without_equals(build_.scalar(built)));
  }

  Built vector() {
    const Built built = without_equals(formula(comparison));
    finished(built.parts[0]);
    return built;
  }

  ExpressionPtr residual() {
    const Built left = formula(comparison);
    if (!is_sign("=")) return finished(build_.scalar(left));
    const Span equals = here().span;
    ++at_;
    const Built right = formula(comparison);
    if (is_sign("="))
      mistakes_.fail(here().span, "a second '=' in one residual",
                     "write one equation per residual");
    const bool to_zero =
        !right.is_vector && is_constant(*right.parts[0], 0) && right.parts[0]->name.empty();
    return finished(build_.scalar(to_zero ? left : build_.binary("sub", left, right, equals)));
  }

 private:
  const Token& here() const { return at_ < last_ ? words_[at_] : end_; }
  bool is_sign(std::string_view text) const {
    return here().kind == Token::Kind::sign && here().text == text;
  }

  template <class T> T without_equals(T built) {
    if (is_sign("="))
      mistakes_.fail(here().span, "an '=' in a formula", "write an expression without '='");
    return built;
  }

  /// The result, unless something is left over or was found to be wrong.
  ExpressionPtr finished(const ExpressionPtr& e) {
    if (here().kind != Token::Kind::end) unexpected();
    mistakes_.raise();
    return e;
  }

  Built formula(int loosest) {
    if (++depth_ > max_nesting)
      mistakes_.fail(
          here().span,
          fmt::format("more than {} levels of parentheses, signs or powers", max_nesting),
          "name the inner parts in [problem.define]");
    Built left = operand();
    while (true) {
      const Infix next = infix(here());
      if (next.binding < loosest || next.binding == 0) break;
      const Span span = here().span;
      ++at_;
      // ^ takes what follows it first and may be followed by a sign: a^b^c is a^(b^c), 2^-x is
      // 2^(-x)
      const Built right = formula(next.binding == power ? sign : next.binding + 1);
      left = build_.binary(next.op, left, right, span);
      if (next.binding == comparison && infix(here()).binding == comparison)
        mistakes_.fail(here().span, "comparisons in a chain",
                       "multiply two of them: (a < b)*(b < c)");
    }
    --depth_;
    return left;
  }

  Built operand() {
    const Token token = here();
    if (token.kind == Token::Kind::end)
      mistakes_.fail(token.span, "the formula ends where a number or name is missing",
                     "complete it");
    ++at_;
    if (token.kind == Token::Kind::number)
      return juxtaposed(build_.number(token.number, token.span));
    if (token.kind == Token::Kind::name)
      return juxtaposed(is_sign("(") ? call(token) : build_.name(token.text, token.span));
    if (token.text == "-" || token.text == "+") return signed_operand(token);
    if (token.text == "(") return juxtaposed(parenthesis(token));
    --at_;
    unexpected();
  }

  Built signed_operand(const Token& token) {
    const Built a = formula(sign);
    const Span whole{token.span.begin, a.span.end};
    if (token.text == "-") return build_.negative(a, whole);
    return a;
  }

  Built parenthesis(const Token& open) {
    std::vector<Built> parts = list(open);
    const Span whole{open.span.begin, words_[at_ - 1].span.end};
    if (parts.empty()) mistakes_.fail(whole, "empty parentheses", "write something between them");
    if (parts.size() > 1) return build_.tuple(std::move(parts), whole);
    parts[0].span = whole;
    return std::move(parts[0]);
  }

  Built call(const Token& name) {
    const Token open = here();
    ++at_;
    if (name.text == "initial" && here().kind == Token::Kind::name) return initial(name);
    if (name.text == "distance" && here().kind == Token::Kind::name) return distance(name);
    const std::vector<Built> arguments = list(open);
    return build_.call(name.text, arguments, name.span,
                       {name.span.begin, words_[at_ - 1].span.end});
  }

  /// "u)" after "initial(": no formula, for there is no field yet where this is said.
  Built initial(const Token& name) {
    const Token of = here();
    ++at_;
    if (!is_sign(")"))
      mistakes_.fail(of.span, "initial(...) is of one name", "write initial(u), or initial(t)");
    ++at_;
    return build_.initial(of.text, {name.span.begin, words_[at_ - 1].span.end});
  }

  /// "NAME)" after "distance(": of a region, which no formula is.
  Built distance(const Token& name) {
    const Token of = here();
    ++at_;
    if (!is_sign(")"))
      mistakes_.fail(of.span, "distance(...) is to one region", "write distance(NAME)");
    ++at_;
    return build_.distance(of.text, of.span, {name.span.begin, words_[at_ - 1].span.end});
  }

  /// "a, b, c)" after an opening parenthesis.
  std::vector<Built> list(const Token& open) {
    std::vector<Built> items;
    if (is_sign(")")) return ++at_, items;
    while (true) {
      items.push_back(formula(comparison));
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
  Built juxtaposed(Built left) {
    const Token& next = here();
    const bool operand =
        next.kind == Token::Kind::number || next.kind == Token::Kind::name || is_sign("(");
    if (!operand) return left;
    const std::string_view after = next.text;
    mistakes_.fail(next.span, fmt::format("an operator is missing before {}", quoted(after)),
                   "write an explicit '*' to multiply");
  }

  [[noreturn]] void unexpected() {
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

  const std::vector<Token>& words_;
  std::size_t at_, last_;
  Token end_;
  Mistakes mistakes_;
  Builder build_;
  int depth_ = 0;
};

Parser parser(const Text& text, const std::vector<Token>& words, const Scope& scope,
              Warnings& warnings) {
  return Parser(text, words, 0, words.size() - 1, scope, warnings);
}

}  // namespace

ExpressionPtr parse_expression(const Text& text, const Scope& scope, Warnings& warnings) {
  const std::vector<Token> words = tokens(text);
  return parser(text, words, scope, warnings).expression();
}

Built parse_built(const Text& text, const Scope& scope, Warnings& warnings) {
  const std::vector<Token> words = tokens(text);
  return parser(text, words, scope, warnings).vector();
}

ExpressionPtr parse_residual(const Text& text, const Scope& scope, Warnings& warnings) {
  const std::vector<Token> words = tokens(text);
  return parser(text, words, scope, warnings).residual();
}

std::vector<ExpressionPtr> parse_conditions(const Text& text, const Scope& scope) {
  const std::vector<Token> words = tokens(text);
  Mistakes mistakes(text);
  Warnings none;
  std::vector<ExpressionPtr> all;
  std::size_t first = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].kind == Token::Kind::name && words[i].text == "or")
      mistakes.fail(words[i].span, "there is no 'or' in a condition",
                    "give each a region of its own, and join these: \"a + b\"");
    if (words[i].kind != Token::Kind::end && words[i].text != "and") continue;
    all.push_back(Parser(text, words, first, i, scope, none).expression());
    const Expression& e = *all.back();
    if (e.kind != Expression::Kind::call || comparison_sign(e.name).empty())
      mistakes.fail({words[first].span.begin, words[i == 0 ? 0 : i - 1].span.end},
                    "this is no condition", "compare two formulas: x > 0 and y < x^2");
    first = i + 1;
  }
  return all;
}

ExpressionPtr parse_quantity(const Text& text, const Problem& problem) {
  const std::string& name = text.value;
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), plain)) return nullptr;
  const Scope scope{problem};
  const Meaning declared = meaning(scope, name);
  if (!declared) {
    const std::vector<Reading> ways = readings(scope, name);
    if (ways.size() != 1 || ways[0].normal || ways[0].total > max_order) return nullptr;
  } else if (declared.kind != Meaning::Kind::field && declared.kind != Meaning::Kind::define) {
    return nullptr;
  }
  Warnings none;
  return parse_expression(text, scope, none);
}

double parse_constant(const Text& text, const Problem& problem) {
  const std::vector<Token> words = tokens(text);
  return parse_constant(text, words, 0, words.size() - 1, problem);
}

double parse_constant(const Text& text, const std::vector<Token>& words, std::size_t first,
                      std::size_t last, const Problem& problem) {
  Warnings none;
  const Scope scope{problem, Scope::Use::constant};
  return Parser(text, words, first, last, scope, none).expression()->number;
}

}  // namespace pinn
