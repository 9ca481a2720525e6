// Formulas as mathematics.
#include "solvers/problem/pieces.h"
#include "solvers/report/words.h"
#include "tests/catch.h"
#include "tests/solvers/problem/texts.h"

using namespace pinn;
using namespace pinn::pages;
using Catch::Matchers::Contains;

namespace {

/// Without what only groups.
std::string bare(std::string text) {
  for (const char* tag : {"<mrow>", "</mrow>", "<math display=\"block\">", "</math>"})
    for (std::size_t at = text.find(tag); at != text.npos; at = text.find(tag))
      text.erase(at, std::string(tag).size());
  return text;
}

std::string typeset(const std::string& formula) {
  const Problem p = plane();
  Warnings none;
  return bare(mathml(*parse_expression(pinn::text(formula), {p}, none), p));
}

std::string equation(const std::string& residual) {
  const Problem p = plane();
  Warnings none;
  const ExpressionPtr e = parse_residual(pinn::text(residual), {p}, none);
  return bare(mathml_equation(residual, *e, p));
}

/// True if every tag is closed in order.
bool is_nested(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != html.npos; at = html.find('<', at + 1)) {
    const bool closes = html[at + 1] == '/';
    const std::size_t from = at + (closes ? 2 : 1);
    const std::string tag = html.substr(from, html.find_first_of(" >", from) - from);
    if (!closes) {
      open.push_back(tag);
    } else if (open.empty() || open.back() != tag) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

}  // namespace

TEST_CASE("derivatives are indices, and names of Greek letters are these") {
  CHECK(typeset("u_xx") == "<msub><mi>u</mi><mi>x</mi><mi>x</mi></msub>");
  CHECK(typeset("nu") == "<mi>ν</mi>");
  CHECK(mathml_name("x1") == "<msub><mi>x</mi><mn>1</mn></msub>");
  CHECK(mathml_name("u_obs") == "<msub><mi>u</mi><mtext>obs</mtext></msub>");
  CHECK(mathml_name("c[12]") == "<msub><mi>c</mi><mn>12</mn></msub>");
  CHECK(mathml_name("side(u, steel)") == "<msub><mi>u</mi><mtext>steel</mtext></msub>");
  CHECK(mathml_name("<b>") == "<mi>&lt;b&gt;</mi>");
}

TEST_CASE("a residual is an equation of its two sides, or of itself and 0") {
  CHECK(equation("u_t = nu*u_xx") ==
        "<msub><mi>u</mi><mi>t</mi></msub><mo>=</mo><mi>ν</mi><mo>&#x2062;</mo><msub><mi>u</mi>"
        "<mi>x</mi><mi>x</mi></msub>");
  CHECK(equation("u - 1") == "<mi>u</mi><mo>−</mo><mn>1</mn><mo>=</mo><mn>0</mn>");
}

TEST_CASE("fractions, powers and roots stand for themselves") {
  CHECK(typeset("u/x") == "<mfrac><mi>u</mi><mi>x</mi></mfrac>");
  CHECK(typeset("x^3") == "<msup><mi>x</mi><mn>3</mn></msup>");
  CHECK(typeset("sqrt(x)") == "<msqrt><mi>x</mi></msqrt>");
  CHECK(typeset("exp(x)") == "<msup><mi>e</mi><mi>x</mi></msup>");
  CHECK(typeset("2*pi") == "<mn>2</mn><mi>π</mi>");
  CHECK_THAT(typeset("sin(x)"), Contains("<mi>sin</mi>"));
  CHECK(typeset("1.5e-9") == "<mn>1.5</mn><mo>·</mo><msup><mn>10</mn><mo>−</mo><mn>9</mn></msup>");
}

TEST_CASE("numbers that were computed have six digits behind their point, others all") {
  CHECK(typeset("0.12345678*u") == "<mn>0.12345678</mn><mo>&#x2062;</mo><mi>u</mi>");
  CHECK(typeset("123456789.5*u") == "<mn>123456789.5</mn><mo>&#x2062;</mo><mi>u</mi>");
  CHECK_THAT(typeset("sqrt(2)*u"), Contains("<mn>1.414213…</mn>"));
  CHECK_THAT(typeset("sqrt(2)/1000*u"), Contains("<mn>0.00141421…</mn>"));
  CHECK_THAT(typeset("sqrt(2)*10^20*u"), Contains("<mn>1.414213…</mn><mo>·</mo>"));
}

TEST_CASE("parentheses stand where a reader needs them, and nowhere else") {
  const std::string open = "<mo stretchy=\"false\">(</mo>";
  CHECK_THAT(typeset("(u + v)*x"), Contains(open));
  CHECK_THAT(typeset("u - (v - x)"), Contains(open));
  CHECK_THAT(typeset("(u + v)^2"), Contains(open));
  CHECK_THAT(typeset("u + v*x"), !Contains(open));
  CHECK_THAT(typeset("(u + v)/x"), !Contains(open));
  CHECK_THAT(typeset("-5*x"), !Contains(open));
  CHECK_THAT(typeset("-0.5*x*y"), !Contains(open));
  CHECK_THAT(typeset("u - v + x"), !Contains(open));
}

TEST_CASE("every formula of the language is well nested") {
  for (const char* formula :
       {"u", "u_xx + d(u*v, x) - s/k", "where(x < 0.5, u, v)", "max(u, abs(v))^2", "atan2(u, v)",
        "-u", "u*(-2)", "(u_x)^2", "exp(-x^2/(2*k))", "(x < y)*u", "q", "d(q, y)", "tanh(u/v/x)"}) {
    INFO(formula << " " << typeset(formula));
    CHECK(is_nested(typeset(formula)));
  }
}

TEST_CASE("a long equation is broken before signs of its sum, and loses nothing") {
  const std::string term = "sin(x + 2*y)*cos(3*x - y)*exp(x*y)";
  std::string sum = term;
  for (int k = 0; k < 4; ++k) sum += (k % 2 == 0 ? " - " : " + ") + term;
  CHECK_THAT(equation("u_xx = " + term), !Contains("lines"));
  const std::string text = equation("u_xx = " + sum);
  CHECK(is_nested(text));
  CHECK_THAT(text, Contains("<mtable class=\"lines\">"));
  CHECK_THAT(text, Contains("<mtd></mtd><mtd><mo>+</mo>"));
  std::size_t sines = 0;
  for (std::size_t at = text.find("sin"); at != text.npos; at = text.find("sin", at + 1)) ++sines;
  CHECK(sines == 5);
  const auto is_small = Contains("font-size");
  CHECK_THAT(text, !is_small);
  CHECK_THAT(equation("u_xx = sin(" + sum + ")"), is_small);
}

TEST_CASE("what is too long to read is the text itself") {
  std::string longer = "u";
  for (int k = 0; k < 300; ++k) longer += " + u*x";
  CHECK_THAT(equation(longer + " = 0"), Contains("<code>u + u*x"));
}
