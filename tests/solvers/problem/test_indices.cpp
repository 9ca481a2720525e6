#include "solvers/problem/text/indices.h"

#include "solvers/problem/evaluate.h"
#include "solvers/problem/expression.h"
#include "tests/catch.h"
#include "tests/solvers/problem/same.h"
#include "tests/solvers/problem/texts.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

/// Coordinates x[1], x[2], t; fields c[1:3] and g; constants M = 3, m = [[1, 2], [3, 4]].
Problem kinds() {
  Problem p;
  p.coordinates = {{"x[1]", 0, 1, Role::space, ""},
                   {"x[2]", 0, 1, Role::space, ""},
                   {"t", 0, 2, Role::time, ""}};
  p.fields = {{"c[1]", "", 1}, {"c[2]", "", 1}, {"c[3]", "", 1}, {"g", "", 1}};
  p.constants = {{"M", 3, "3"},      {"m[1,1]", 1, "1"}, {"m[1,2]", 2, "2"},
                 {"m[2,1]", 3, "3"}, {"m[2,2]", 4, "4"}, {"at_2", 2, "2"}};
  return p;
}

void check_same(const std::string& a, const std::string& b) {
  const Problem p = kinds();
  const Scope scope{p, Scope::Use::residual, true};
  INFO(a << "   against   " << b);
  CHECK(same(*residual(a, scope), *residual(b, scope)));
}

std::string refusal(const std::string& formula) {
  const Problem p = kinds();
  return message([&] { residual(formula, {p}); });
}

}  // namespace

TEST_CASE("an index is a formula of whole numbers and constants", "[problem][indices]") {
  check_same("c[ 1 + 1 ]_t", "c[2]_t");
  check_same("c[M]", "c[3]");
  check_same("m[at_2, M - 2]*g", "m[2,1]*g");
  check_same("c[m[1, 2]]", "c[2]");
  check_same("c[6/2]_t", "c[3]_t");
}

TEST_CASE("derivatives by coordinates with indices are read as others are", "[problem][indices]") {
  check_same("g_x[1]", "d(g, x[1])");
  check_same("g_x[1]x[2]", "d(d(g, x[1]), x[2])");
  check_same("g_x[2]x[2]t", "d(d(g, x[2], 2), t)");
  check_same("c[2]_x[1]t", "d(d(c[2], x[1]), t)");
  check_same("laplacian(c[1])", "d(c[1], x[1], 2) + d(c[1], x[2], 2)");
  check_same("g_n", "n_x[1]*g_x[1] + n_x[2]*g_x[2]");
}

TEST_CASE("a sum is the one written out", "[problem][indices]") {
  check_same("sum(i, 1, 3, c[i])", "c[1] + c[2] + c[3]");
  check_same("sum(i, 1, M, i*c[i]) = 1", "1*c[1] + 2*c[2] + 3*c[3] = 1");
  check_same("2*sum(i, 2, 2, c[i]^i)", "2*c[2]^2");
  check_same("sum(i, 1, 2, sum(j, i, 2, m[i,j]*x[j]))",
             "(m[1,1]*x[1] + m[1,2]*x[2]) + m[2,2]*x[2]");
  check_same("sum(i, -1, 1, c[i + 2]*i)", "c[1]*-1 + c[2]*0 + c[3]*1");
  check_same("dot(sum(i, 1, 2, (c[i], g)), n)", "dot((c[1], g) + (c[2], g), n)");
}

TEST_CASE("a name is an index within its sum only", "[problem][indices]") {
  CHECK_THAT(refusal("sum(i, 1, 2, c[i]) + i"), Contains("'i' is not declared"));
  CHECK_THAT(refusal("sum(i, 1, 2, c[i]) + c[i]"), Contains("'i' is no index"));
}

TEST_CASE("what is wrong in a sum is told once, with its index", "[problem][indices][errors]") {
  CHECK(refusal("sum(i, 2, 4, c[i])") == about("sum(i, 2, 4, c[i])", 13, 4,
                                               "there is no 'c[4]' among c[1:3]",
                                               "keep indices within their range"));
  CHECK(refusal("sum(i, 1, 3, k*c[i])") ==
        about("sum(i, 1, 3, k*c[i])", 13, 1, "'k' is not declared",
              "declared are: coordinates x[1:2], t; fields c[1:3], g; constants M, "
              "m[1:2,1:2], at_2"));
}

TEST_CASE("what has indices prints as a text that reads the same", "[problem][indices]") {
  const Problem p = kinds();
  const Scope scope{p};
  for (const char* formula : {"c[2]_x[1]x[2] + m[1,2]*x[2]", "g_x[2]x[2]", "d(c[1]*g, x[1], 2)"}) {
    const ExpressionPtr e = residual(formula, scope);
    INFO(print(*e, scope));
    CHECK(same(*e, *residual(print(*e, scope), scope)));
  }
}

TEST_CASE("a declared kind has all its members in order", "[problem][indices]") {
  const Problem p = kinds();
  const auto names = [&](const char* declared) {
    std::vector<std::string> all;
    for (const OfKind& one : names_of_a_kind(text(declared), p)) all.push_back(one.name);
    return all;
  };
  CHECK(names("u") == std::vector<std::string>{"u"});
  CHECK(names("u[1:M]") == std::vector<std::string>{"u[1]", "u[2]", "u[3]"});
  CHECK(names("u[0:1, 2:3]") == std::vector<std::string>{"u[0,2]", "u[0,3]", "u[1,2]", "u[1,3]"});
  CHECK(names("u[i=1:2]") == std::vector<std::string>{"u[1]", "u[2]"});
  const OfKind last = names_of_a_kind(text("u[i = 1:2, 5:6, j=3:4]"), p).back();
  CHECK(last.name == "u[2,6,4]");
  REQUIRE(last.indices.size() == 2);
  CHECK(last.indices[1].name == "j");
  CHECK(last.indices[1].value == 4);
  CHECK(as_kinds(names("u[0:1,2:3]")) == std::vector<std::string>{"u[0:1,2:3]"});
}

TEST_CASE("a text for values of indices is that with numbers in their place",
          "[problem][indices]") {
  const Problem p = kinds();
  const auto with = [&](const char* formula) {
    return with_indices(text(formula), {{"i", 2}, {"e", 7}}, p).value;
  };
  CHECK(with("c[i]_t = i*c[i - 1]") == "c[2]_t = 2*c[1]");
  CHECK(with("x[i] = 1e3 + 2.5e-1 + e") == "x[2] = 1e3 + 2.5e-1 + 7");
  CHECK(with("sum(j, 1, i, m[i, j])") == "sum(j, 1, 2, m[2, j])");
  CHECK(with("ci + i_c + pi") == "ci + i_c + pi");
}
