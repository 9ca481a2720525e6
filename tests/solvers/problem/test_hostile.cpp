#include "tests/catch.h"
#include "tests/solvers/problem/texts.h"

#include "solvers/problem/evaluate.h"
#include "solvers/problem/parse.h"

using namespace pinn;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string repeated(const std::string& piece, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += piece;
  return all;
}

std::string said(const std::string& value) {
  const Problem p = plane();
  return message([&] { residual(value, {p}); });
}

}  // namespace

TEST_CASE("a text of 10 MB is refused before it is read", "[problem][hostile]") {
  CHECK_THAT(said(repeated("u + ", 2500000)),
             StartsWith("error: a formula of 10000000 bytes\n  where: p.toml:3:13\n") &&
                 Contains("fix:   write at most 65536 bytes; name parts in [problem.define]"));
}

TEST_CASE("nesting ends in a message, however it is made", "[problem][hostile]") {
  const std::string levels = "error: more than 256 levels of parentheses, signs or powers\n";
  CHECK_THAT(said(repeated("(", 60000)), StartsWith(levels));
  CHECK_THAT(said(repeated("-", 60000) + "u"), StartsWith(levels));
  CHECK_THAT(said("u" + repeated("^u", 30000)), StartsWith(levels));
  CHECK_THAT(said(repeated("sin(", 15000)), StartsWith(levels));
  CHECK_THAT(said(repeated("(", 100000)), StartsWith("error: a formula of 100000 bytes"));
  CHECK(said(repeated("(", 200) + "u" + repeated(")", 200)) == "no error");
}

TEST_CASE("a sum of thousands of terms is refused, one of hundreds is read, printed and evaluated",
          "[problem][hostile]") {
  CHECK_THAT(
      said("u" + repeated("+u", 30000)),
      StartsWith(
          "error: this formula is more than 1000 levels deep (a sum is one deeper per term)") &&
          Contains("fix:   put groups of terms in parentheses"));

  const Problem p = plane();
  const ExpressionPtr sum = expression("x" + repeated(" + x", 900), {p});
  const double x[] = {0.5, 0, 0};
  CHECK(evaluate(*sum, {.coordinates = x}) == 450.5);
  CHECK(print(*sum, {p}) == "x" + repeated(" + x", 900));
}

TEST_CASE("defines that double one another are refused when they are too large written out",
          "[problem][hostile]") {
  Problem p = plane();
  Warnings none;
  const auto grow = [&] {
    for (int i = 0; i < 40; ++i) {
      const std::string last = i == 0 ? "u" : "g" + std::to_string(i - 1);
      const ExpressionPtr e = parse_expression(text(last + "*" + last), {p}, none);
      p.defines.push_back({"g" + std::to_string(i), {e}, false, ""});
    }
  };
  CHECK_THAT(message(grow),
             StartsWith("error: this formula, defines written out, has more than 65536 parts"));
}

TEST_CASE("derivatives of large arguments, thousands of times, end in a message",
          "[problem][hostile]") {
  Problem p = plane();
  Warnings none;
  const ExpressionPtr large = parse_expression(text("x" + repeated("*(u + x)", 600)), {p}, none);
  p.defines.push_back({"g", {large}, false, ""});

  const std::string all =
      message([&] { residual("sin(" + repeated("d(g, x), ", 5000) + "1)", {p}); });

  CHECK_THAT(all, StartsWith("error: this formula takes derivatives of too much"));
}

TEST_CASE("at most twenty mistakes are listed", "[problem][hostile]") {
  const std::string all = said(repeated("foo + ", 1000) + "1");
  std::size_t count = 0;
  for (std::size_t at = all.find("error:"); at != std::string::npos;
       at = all.find("error:", at + 1))
    ++count;
  CHECK(count == 20);
}

TEST_CASE("long names are cut in messages and have no readings", "[problem][hostile]") {
  const std::string name = "u_" + repeated("x", 60000);
  CHECK_THAT(said(name),
             StartsWith("error: 'u_" + repeated("x", 38) + "...' looks like a derivative"));
  CHECK_THAT(said("u" + repeated("_x", 30000)), StartsWith("error: 'u_x"));
}

TEST_CASE("no bytes of any kind crash the reader", "[problem][hostile]") {
  const Problem p = plane();
  const std::string pieces[] = {"u",     "u_x",  "x",   "(",   ")",    "+",  "-",    "*",
                                "/",     "^",    ",",   "=",   "<",    "d(", "sin(", "where(",
                                "grad(", "div(", "2",   "1e9", "0",    " ",  "_",    "é",
                                "\xff",  "q",    "n_x", "N",   "dot(", "t"};
  std::uint64_t state = 1;
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string value;
    for (int k = 0; k < 12; ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      value += pieces[(state >> 33) % std::size(pieces)];
    }
    accepted += message([&] { residual(value, {p}); }) == "no error";
  }
  CHECK(accepted < 2000);
}
