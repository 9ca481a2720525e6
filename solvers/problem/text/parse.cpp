#include "solvers/problem/parse.h"

#include <algorithm>
#include <cctype>

#include "solvers/problem/expression.h"
#include "solvers/problem/pieces.h"
#include "solvers/problem/text/parser.h"
#include "solvers/problem/words.h"

namespace pinn {
namespace {

Parser parser(const Text& text, const std::vector<Token>& words, const Scope& scope,
              Warnings& warnings) {
  return Parser(text, words, 0, words.size() - 1, scope, warnings);
}

}  // namespace

ExpressionPtr parse_expression(const Text& text, const Scope& scope, Warnings& warnings) {
  return by_pieces(text, scope, warnings, [&](const Scope& inside, Warnings& to) {
    const std::vector<Token> words = tokens(text);
    return parser(text, words, inside, to).expression();
  });
}

Built parse_built(const Text& text, const Scope& scope, Warnings& warnings) {
  const std::vector<Token> words = tokens(text);
  return parser(text, words, scope, warnings).vector();
}

ExpressionPtr parse_residual(const Text& text, const Scope& scope, Warnings& warnings) {
  return by_pieces(text, scope, warnings, [&](const Scope& inside, Warnings& to) {
    const std::vector<Token> words = tokens(text);
    return parser(text, words, inside, to).residual();
  });
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
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_[],-").find(c) != std::string_view::npos;
  };
  if (name.empty() || !std::all_of(name.begin(), name.end(), plain)) return nullptr;
  const Scope scope{problem};
  Warnings none;
  if (problem.pieces && problem.chosen.empty() && !problem.pieces->partitions_of(name).empty()) {
    const std::vector<int> somewhere(problem.pieces->partitions.size(), 0);
    if (!parse_quantity(text, problem.pieces->dialect(problem, somewhere, none))) return nullptr;
    return parse_expression(text, scope, none);
  }
  const Meaning declared = meaning(scope, name);
  if (!declared) {
    const std::vector<Reading> ways = readings(scope, name);
    if (ways.size() != 1 || ways[0].normal || ways[0].total > max_order) return nullptr;
  } else if (declared.kind != Meaning::Kind::field && declared.kind != Meaning::Kind::define) {
    return nullptr;
  }
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
