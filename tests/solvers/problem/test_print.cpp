#include "tests/catch.h"
#include "tests/solvers/problem/same.h"
#include "tests/solvers/problem/texts.h"

#include "solvers/problem/expression.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/words.h"

using namespace pinn;
using Kind = Expression::Kind;

namespace {

/// Random trees of everything the language can say on a wall with one data column.
class Trees {
 public:
  explicit Trees(std::uint64_t seed) : state_(seed) {}

  ExpressionPtr tree(int depth) {
    if (depth == 0 || below(6) == 0) return leaf();
    static const char* const infix[] = {"add",  "sub",        "mul",     "div",          "pow",
                                        "less", "less_equal", "greater", "greater_equal"};
    switch (below(6)) {
      case 0:
        return negative(tree(depth - 1));
      case 1:
        return unary(tree(depth - 1));
      case 2:
        return make_call("where", {not_number(depth), tree(depth - 1), tree(depth - 1)});
      case 3:
        return derivative(depth);
      case 4:
        return make_call(below(2) ? "atan2" : "min", two(depth));
      default:
        return make_call(infix[below(9)], two(depth));
    }
  }

 private:
  int below(int n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return int((state_ >> 33) % std::uint64_t(n));
  }

  /// Two inputs, of which one at least is not a number: the reader would compute them.
  std::vector<ExpressionPtr> two(int depth) {
    const ExpressionPtr number = make_number(below(2) ? -2.5 : 1e22);
    const ExpressionPtr a = not_number(depth), b = tree(depth - 1);
    if (is_constant(*b)) return {below(2) ? std::vector{a, number} : std::vector{number, a}};
    return {a, b};
  }
  ExpressionPtr not_number(int depth) {
    ExpressionPtr e = tree(depth - 1);
    while (is_constant(*e)) e = leaf();
    return e;
  }
  ExpressionPtr negative(ExpressionPtr e) {
    while (is_constant(*e)) e = leaf();
    return make_call("neg", {e});
  }
  ExpressionPtr unary(ExpressionPtr e) {
    while (is_constant(*e)) e = leaf();
    return make_call(below(2) ? "tanh" : "exp", {e});
  }
  ExpressionPtr derivative(int depth) {
    MultiIndex by{};
    by[std::size_t(below(3))] = std::uint8_t(1 + below(1));
    const ExpressionPtr field = make_leaf(Kind::field, below(2));
    if (depth < 3 || below(3) > 0) return make_derivative(field, by + unit_index(below(3)));
    return make_derivative(make_call("mul", {field, make_leaf(Kind::coordinate, below(3))}), by);
  }
  ExpressionPtr leaf() {
    switch (below(8)) {
      case 0:
        return make_number(below(2) ? 0.1 : -3);
      case 1:
        return make_number(0.01, "nu");
      case 2:
        return make_leaf(Kind::unknown);
      case 3:
        return make_leaf(Kind::normal, below(2));
      case 4:
        return make_leaf(Kind::column, 0);
      case 5:
        return make_leaf(Kind::coordinate, below(3));
      default:
        return make_leaf(Kind::field, below(2));
    }
  }

  std::uint64_t state_;
};

}  // namespace

TEST_CASE("an expression prints itself as one would write it", "[problem]") {
  const Problem p = plane();
  const Scope scope{p, Scope::Use::residual, true};
  for (const char* formula : {"u_t + u*u_x - nu*u_xx",
                              "-u^2",
                              "(-u)^2",
                              "u^v^x",
                              "(u^v)^x",
                              "u - (v - x)",
                              "u/(v*x)",
                              "u/v*x",
                              "-(u + v)*2",
                              "2^-x",
                              "where(x < 0.5, u, -v)",
                              "(x < 0.5)*u",
                              "d(k*u_x, x)",
                              "d(d(u*v, x, 2), t)",
                              "atan2(u_xyt, v)",
                              "sin(u)^2 + 1e-05",
                              "n_x*u_x + n_y*u_y",
                              "u*-2",
                              "(-2)^u",
                              "u - -2"}) {
    INFO(formula);
    CHECK(print(*expression(formula, scope), scope) == formula);
  }
  CHECK(print(*residual("laplacian(u) = -2*pi", scope), scope) ==
        "u_xx + u_yy - -6.283185307179586");
}

TEST_CASE("integrals and other places print as they are read", "[problem]") {
  const Problem p = plane();
  Scope scope{p};
  scope.whole = true;
  for (const char* formula :
       {"integral(u*v_x) - 1", "mean(x^2)*2 - integral(u)", "at(u, x = 0)",
        "u - at(d(u*v, x), x = x*y, t = exp(u))", "at(at(u, x = y), y = x)"}) {
    INFO(formula);
    CHECK(print(*residual(formula, scope), scope) == formula);
  }
  scope.quadrature = 2;
  const ExpressionPtr e = expression("integral(z*at(u, x = z), z, y, x)", scope);
  CHECK(same(*expression(print(*e, scope), scope), *e));
}

TEST_CASE("numbers that an integral comes to are one number, as where they are written",
          "[problem]") {
  const Problem p = plane();
  Scope scope{p};
  scope.quadrature = 3;
  for (const char* formula :
       {"integral(5, z, 0, 1)", "integral(5, z, 0, x)", "integral(z, z, 0, 2)",
        "integral(2*z, z, 0, 1)", "integral(2*z + x*z, z, 0, 1)", "integral(exp(-z)*u, z, 0, 2)",
        "integral(integral(y*z, z, 0, s2), s2, 0, 1)", "integral(z^2 - z^2, z, 0, 1)",
        "integral(z, z, -1, 1)*u"}) {
    const ExpressionPtr e = expression(formula, scope);
    INFO(formula << " " << print(*e, scope));
    CHECK(same(*expression(print(*e, scope), scope), *e));
  }
}

TEST_CASE("what a define integrates is written out where it is used", "[problem]") {
  Problem p = plane();
  Warnings warnings;
  declare_defines({{text("I"), text("integral(z*at(u, x = z), z, 0, x)")}}, p, warnings);
  CHECK(print(*p.defines[0].parts[0], Scope{p}) == "integral(z*at(u, x = z), z, 0, x)");
  for (const int nodes : {2, 5}) {
    Scope scope{p};
    scope.quadrature = nodes;
    int places = 0;
    const ExpressionPtr square = expression("I^2", scope);
    for (const Expression* e : in_order(*square)) places += e->kind == Kind::elsewhere;
    CHECK(places == nodes);
  }
}

TEST_CASE("a derivative that could be misread is printed with d", "[problem]") {
  Problem p = plane();
  p.fields.push_back({"u_x", "", 1});
  const ExpressionPtr e = make_derivative(make_leaf(Kind::field, 0), unit_index(0));
  CHECK(print(*e, {p}) == "d(u, x)");
  CHECK(same(*expression("d(u, x)", {p}), *e));
}

TEST_CASE("what is printed is read as the same tree", "[problem]") {
  const Problem p = plane();
  const Scope scope{p, Scope::Use::residual, true, {"signal"}};
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const ExpressionPtr tree = Trees(seed).tree(int(seed % 6));
    const std::string printed = print(*tree, scope);
    INFO(printed);
    REQUIRE(same(*expression(printed, scope), *tree));
  }
}
