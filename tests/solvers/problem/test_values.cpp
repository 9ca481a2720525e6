#include "solvers/problem/values.h"

#include <cmath>

#include "solvers/problem/evaluate.h"
#include "tests/catch.h"
#include "tests/solvers/problem/texts.h"

using namespace pinn;

namespace {

ValueFormula value(const std::string& written, const Scope& inside) {
  Warnings none;
  return parse_value(text(written), inside, none);
}

/// Value of a formula when its functionals are these, and s is 3.
double with(const ValueFormula& formula, const std::vector<double>& functionals) {
  const double s[] = {3};
  return evaluate(*formula.formula, {.unknowns = s, .columns = functionals});
}

void check(const std::string& written, int from, int width, const std::string& what,
           const std::string& fix) {
  INFO(written);
  const Problem p = plane();
  CHECK(message([&] { value(written, {p}); }) == about(written, from, width, what, fix));
}

const std::string no_number =
    "a value is one number: take the integral, mean, max, min or at of what varies";
const std::string usable = "usable here are: constants nu, k; unknowns s; defines q";

}  // namespace

TEST_CASE("a value is a tree whose leaves are functionals, unknowns and numbers",
          "[problem][values]") {
  const Problem p = plane();
  const ValueFormula v = value(
      "2*integral(u^2)/k - s*mean(u_x*x) + exp(at(v, x = 1, t = k - 1, y "
      "= 0.5))",
      {p});
  REQUIRE(v.functionals.size() == 3);
  CHECK(v.functionals[0].kind == Functional::Kind::integral);
  CHECK(print(*v.functionals[0].of, {p}) == "u^2");
  CHECK(v.functionals[1].kind == Functional::Kind::mean);
  CHECK(print(*v.functionals[1].of, {p}) == "u_x*x");
  CHECK(v.functionals[2].kind == Functional::Kind::at);
  CHECK(v.functionals[2].point == std::vector<double>{1, 0.5, 1});
  CHECK(with(v, {5, 7, 2}) == Approx(5 - 3 * 7 + std::exp(2)).epsilon(1e-15));
  CHECK(v.has_region());
  CHECK_FALSE(value("at(u, x = 0, y = 0, t = 0) + s", {p}).has_region());
  CHECK_FALSE(value("2*s - k", {p}).has_region());
}

TEST_CASE("max and min are of one formula over a region, or of two numbers", "[problem][values]") {
  const Problem p = plane();
  const ValueFormula v = value("max(max(u), min(max(u, v) - v))", {p});
  REQUIRE(v.functionals.size() == 2);
  CHECK(v.functionals[0].kind == Functional::Kind::max);
  CHECK(v.functionals[1].kind == Functional::Kind::min);
  CHECK(print(*v.functionals[1].of, {p}) == "max(u, v) - v");
  CHECK(with(v, {2, 9}) == 9);
}

TEST_CASE("functionals may use the normal where there is one", "[problem][values]") {
  const Problem p = plane();
  const Scope wall{.problem = p, .has_normal = true};
  CHECK(print(*value("integral(dot((u, v), n))", wall).functionals[0].of, wall) == "u*n_x + v*n_y");
  CHECK(value("mean(u_n)", wall).functionals.size() == 1);
  CHECK_THAT(message([&] { value("integral(n_x)", {p}); }),
             Catch::Matchers::Contains("there is no normal"));
  CHECK_THAT(message([&] { value("at(u_n, x = 0, y = 0, t = 0)", wall); }),
             Catch::Matchers::Contains("there is no normal"));
}

TEST_CASE("what varies stands in functionals only", "[problem][values][errors]") {
  check("u + 1", 0, 1, "'u' is a field, but " + no_number, usable);
  check("2*u_x", 2, 3, "'u' is a field, but " + no_number, usable);
  check("x*integral(u)", 0, 1, "'x' is a coordinate, but " + no_number, usable);
  check("mean(u) - q", 10, 1, "'q' is made of fields, but " + no_number, usable);
  check("integral(u) = 1", 12, 1, "an '=' in a value", "write a number, without '='");
  check("mean(u - mean(u))", 9, 4, "mean(...) within another of its kind",
        "take one number of a formula of fields, then reckon with that");
}

TEST_CASE("a place has every coordinate once, within the domain", "[problem][values][errors]") {
  check("at(u, x = 0.5)", 0, 2, "at(...) does not say where along y, t",
        "give every coordinate a place: at(u, x = 0.5, t = 1)");
  check("at(u, x = 0, y = 0, t = 0, x = 1)", 31, 1, "at(...) has a second place along x",
        "leave one of them out");
  check("at(u, x = 2, y = 0, t = 0)", 10, 1, "x = 2 lies outside of the domain",
        "x runs from 0 to 1");
  check("at(u, z = 0)", 6, 1, "at(...) is told where by coordinates",
        "write at(e, x = 0.5, t = 1), with places that are numbers or constants");
  check("at(u, x, 0)", 7, 1, "at(...) does not say where along x", "write x = NUMBER");
}

TEST_CASE("the largest value is asked for among values only", "[problem][values][errors]") {
  const Problem p = plane();
  CHECK_THAT(message([&] { residual("max(u) = 1", {p}); }),
             Catch::Matchers::Contains("'max' has 1 argument"));
}
