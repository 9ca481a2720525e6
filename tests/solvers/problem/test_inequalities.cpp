#include "solvers/problem/checks.h"

#include "tests/catch.h"
#include "tests/solvers/problem/asked.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

/// Message that a user reads of a residual of plane() that training cannot move; else "no error".
std::string moved(const std::string& value) {
  const Problem p = plane();
  return message([&] { require_slope(text(value), *residual(value, {p}), {p}); });
}

}  // namespace

TEST_CASE("an inequality is refused with the penalty that stands for it", "[problem][errors]") {
  CHECK(moved("u <= 3") == about("u <= 3", 0, 6,
                                 "not yet: inequalities. A comparison as a residual is 1 where it "
                                 "holds and 0 elsewhere, and a residual has to vanish",
                                 "write residual = \"relu(u - 3)\", 0 where that holds and the "
                                 "excess elsewhere"));
  const auto [value, penalty] =
      GENERATE(table<std::string, std::string>({{"u < k", "relu(u - k)"},
                                                {"u >= 0", "relu(-u)"},
                                                {"k > u_x + v", "relu(u_x + v - k)"},
                                                {"(u <= 3)", "relu(u - 3)"},
                                                {"u <= 3 = 0", "relu(u - 3)"},
                                                {"u*v <= 0", "relu(u*v)"},
                                                {"s >= 1", "relu(1 - s)"},
                                                {"q < x", "relu(nu*u_x - x)"}}));
  INFO(value);
  CHECK_THAT(moved(value),
             Contains("not yet: inequalities") && Contains("residual = \"" + penalty + "\""));
}

TEST_CASE("a define that is a comparison is one as a residual, too", "[problem][errors]") {
  Problem p = plane();
  Warnings none;
  p.defines.push_back({"low", {parse_expression(text("u < 1"), {p}, none)}, false, "u < 1"});
  CHECK_THAT(message([&] { require_slope(text("low"), *residual("low", {p}), {p}); }),
             Contains("not yet: inequalities") && Contains("relu(u - 1)"));
}

TEST_CASE("a long penalty is told in general", "[problem][errors]") {
  CHECK_THAT(moved("u_xx + u_yy + u*u_x + v*u_y + sin(u)*cos(v) + exp(u*v) + x*y*t <= 3"),
             Contains("write relu(a - b) for a <= b: 0 where that holds, its excess elsewhere"));
}

TEST_CASE("a residual that changes by jumps alone is refused", "[problem][errors]") {
  const std::string value = GENERATE("-(u <= 3)", "(u <= 3) = 1", "(u > 0)*(u < 3)", "sign(u)",
                                     "where(u > 0, 1, x)", "x*(u < 1) - t", "sin(step(u))");
  INFO(value);
  CHECK_THAT(moved(value), Contains("this residual changes by jumps alone, and training goes by "
                                    "slopes: nothing can make it vanish"));
  CHECK_THAT(moved("(u > 0)*(u < 3)"), Contains("[\"relu(-u)\", \"relu(u - 3)\"]"));
}

TEST_CASE("comparisons that choose between what has a slope stay", "[problem]") {
  const std::string value =
      GENERATE("relu(u - 3)", "(u > 3)*(u - 3)", "where(u > 3, u - 3, 0)", "u_t - (u < 1)*u_xx",
               "max(u, 3) = 3", "s*(u > 0)", "u = (x < 0.5)", "x <= 3", "abs(u) = sign(u)");
  INFO(value);
  CHECK(moved(value) == "no error");
}
