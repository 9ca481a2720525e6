#include "tests/catch.h"
#include "tests/solvers/problem/same.h"
#include "tests/solvers/problem/texts.h"

#include "solvers/problem/parse.h"

using namespace pinn;

namespace {

std::vector<Definition> definitions(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<Definition> all;
  for (const auto& [name, value] : pairs) all.push_back({text(name), text(value)});
  return all;
}

}  // namespace

TEST_CASE("constants refer to one another in any order and stay in theirs", "[problem]") {
  Problem p;
  declare_constants(definitions({{"nu", "mu/rho"}, {"rho", "2*mu"}, {"mu", "0.5"}}), p);
  CHECK(p.constants[0].name == "nu");
  CHECK(p.constants[0].value == 0.5);
  CHECK(p.constants[0].text == "mu/rho");
  CHECK(p.constants[1].value == 1);
}

TEST_CASE("a circle of constants is shown", "[problem][errors]") {
  Problem p;
  const auto said = [&](const std::vector<std::pair<std::string, std::string>>& pairs) {
    return message([&] { declare_constants(definitions(pairs), p); });
  };
  const std::string fix = "write one of them without the others";
  CHECK(said({{"a", "b + 1"}, {"b", "2*c"}, {"c", "a"}, {"other", "a"}}) ==
        about("b + 1", 0, 5, "these constants form a circle: a -> b -> c -> a", fix));
  CHECK(said({{"a", "a + 1"}}) ==
        about("a + 1", 0, 5, "these constants form a circle: a -> a", fix));
}

TEST_CASE("a constant that is wrong is reported once, not where it is used", "[problem][errors]") {
  Problem p;
  CHECK(message([&] {
          declare_constants(definitions({{"a", "b + 1"}, {"b", "1/0"}, {"c", "sin(a"}}), p);
        }) == about("1/0", 0, 3, "division by zero", "change the denominator") + "\n" +
                  about("sin(a", 3, 1, "this '(' is never closed", "add ')'"));
}

TEST_CASE("a chain of a thousand constants is computed", "[problem][hostile]") {
  std::vector<std::pair<std::string, std::string>> chain;
  for (int i = 0; i < 999; ++i)
    chain.emplace_back("c" + std::to_string(i), "c" + std::to_string(i + 1) + " + 1");
  chain.emplace_back("c999", "0");
  Problem p;
  declare_constants(definitions(chain), p);
  CHECK(p.constants[0].value == 999);
}

TEST_CASE("defines may use fields, derivatives and one another in any order", "[problem]") {
  Problem p = plane();
  Warnings none;
  declare_defines(definitions({{"flux_y", "w_y*2"}, {"w", "nu*u_x + v"}}), p, none);
  CHECK(same(*residual("flux_y", {p}), *residual("d(nu*u_x + v, y)*2", {p})));
  CHECK(same(*residual("w_xt", {p}), *residual("d(d(nu*u_x + v, x), t)", {p})));
}

TEST_CASE("a circle of defines is shown, also through a derivative", "[problem][errors]") {
  Problem p = plane();
  Warnings none;
  CHECK(message([&] {
          declare_defines(definitions({{"a", "u + b"}, {"b", "a_x"}}), p, none);
        }) == about("u + b", 0, 5, "these defines form a circle: a -> b -> a",
                    "write one of them without the others"));
}

TEST_CASE("a define may be a vector, and made with the normal", "[problem]") {
  Problem p = plane();
  Warnings none;
  declare_defines(definitions({{"flux", "nu*grad(u) - (v, k)*u"},
                               {"out", "dot(flux, n)"},
                               {"twice", "2*flux"},
                               {"slope", "flux_x"}}),
                  p, none);
  Scope wall{p};
  wall.has_normal = true;
  const auto are_same = [&](const std::string& a, const std::string& b) {
    return same(*expression(a, wall), *expression(b, wall));
  };
  CHECK(are_same("out", "(nu*u_x - v*u)*n_x + (nu*u_y - k*u)*n_y"));
  CHECK(are_same("dot(twice, (x, y))", "2*(nu*u_x - v*u)*x + 2*(nu*u_y - k*u)*y"));
  CHECK(are_same("dot(slope, (x, y))", "d(nu*u_x - v*u, x)*x + d(nu*u_y - k*u, x)*y"));
  CHECK(are_same("div(flux)", "d(nu*u_x - v*u, x) + d(nu*u_y - k*u, y)"));
  CHECK(are_same("dot(n, grad(u))", "n_x*u_x + n_y*u_y"));
}

TEST_CASE("a define with the normal is refused where there is none", "[problem][errors]") {
  Problem p = plane();
  Warnings none;
  declare_defines(definitions({{"flux", "grad(u)"}, {"out", "dot(flux, n)"}}), p, none);
  CHECK(message([&] { expression("out - u", {p}); }) ==
        about("out - u", 0, 3, "'out' is made with the normal, and there is none here",
              "use it in a condition whose `on` lies in the boundary of space"));
  CHECK(message([&] { expression("flux - u", {p}); }) ==
        about("flux - u", 5, 1, "a vector of 2 and a number do not go together here",
              "add vectors of one size, scale them by numbers, or take dot(a, b)"));
  CHECK(message([&] { expression("d(out, x)", {p}); }).find("made with the normal") !=
        std::string::npos);
}
