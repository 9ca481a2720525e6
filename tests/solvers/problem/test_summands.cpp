#include "solvers/problem/expression.h"
#include "solvers/problem/parse.h"
#include "tests/catch.h"
#include "tests/solvers/problem/texts.h"

using namespace pinn;

namespace {

std::vector<std::string> terms_of(const std::string& residual) {
  const Problem problem = plane();
  const Scope scope{problem};
  Warnings none;
  std::vector<std::string> terms;
  for (const ExpressionPtr& term : summands(parse_residual(text(residual), scope, none)))
    terms.push_back(print(*term, scope));
  return terms;
}

using Terms = std::vector<std::string>;

}  // namespace

TEST_CASE("an equation is the sum of its terms, whatever their signs", "[problem]") {
  CHECK(terms_of("u_t + u*u_x = nu*u_xx") == Terms{"u_t", "u*u_x", "nu*u_xx"});
  CHECK(terms_of("u_t - (x - u_xx) = 0") == Terms{"u_t", "x", "u_xx"});
  CHECK(terms_of("-laplacian(u) = 1") == Terms{"u_xx", "u_yy", "1"});
  CHECK(terms_of("u = 0") == Terms{"u"});
  CHECK(terms_of("sin(u + v)") == Terms{"sin(u + v)"});
}

TEST_CASE("a factor, a divisor and a derivative of a sum belong to its terms", "[problem]") {
  CHECK(terms_of("x*(u_t - u_xx)/k") == Terms{"x*u_t/k", "x*u_xx/k"});
  CHECK(terms_of("d(u_y + v_x, x)") == Terms{"u_xy", "v_xx"});
  CHECK(terms_of("(u + v)*(u - v)") == Terms{"u*u", "u*v", "v*u", "v*v"});
}

TEST_CASE("what has more than 64 terms is left whole", "[problem]") {
  const std::string nine = "(u + v + x + y + t + k + s + nu + 1)";
  CHECK(terms_of(nine).size() == 9);
  CHECK(terms_of(nine + "*" + nine).size() == 1);
}
