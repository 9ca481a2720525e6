#include "tests/catch.h"
#include "tests/solvers/problem/same.h"
#include "tests/solvers/problem/texts.h"

#include <cmath>

#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/words.h"

using namespace pinn;
using Kind = Expression::Kind;

namespace {

/// The value with x = 3, y = 5, t = 7.
double value(const std::string& formula, const Problem& p) {
  const double x[] = {3, 5, 7}, s[] = {11};
  return evaluate(*expression(formula, {p, Scope::Use::residual}),
                  {.coordinates = x, .unknowns = s});
}

void check_same(const std::string& a, const std::string& b, const Scope& scope) {
  INFO(a << "   against   " << b);
  CHECK(same(*residual(a, scope), *residual(b, scope)));
}

}  // namespace

TEST_CASE("precedence is that of mathematics", "[problem]") {
  const Problem p = plane();
  CHECK(value("-x^2", p) == -9);
  CHECK(value("(-x)^2", p) == 9);
  CHECK(value("2*x**3", p) == 54);
  CHECK(value("2^x^2", p) == 512);
  CHECK(value("2^-x", p) == 0.125);
  CHECK(value("-2^-x*2", p) == -0.25);
  CHECK(value("x - y - t", p) == -9);
  CHECK(value("x - (y - t)", p) == 5);
  CHECK(value("x/y/2", p) == 0.3);
  CHECK(value("x/(y/2)", p) == 1.2);
  CHECK(value("2 + x*y", p) == 17);
  CHECK(value("2*-x", p) == -6);
  CHECK(value("x - -y", p) == 8);
  CHECK(value("+x", p) == 3);
  CHECK(value("- - x", p) == 3);
  CHECK(value("x + 1 < y - 1", p) == 0);
  CHECK(value("x + 1 <= y - 1", p) == 1);
  CHECK(value("(x > 2)*(y >= 5)*10", p) == 10);
  CHECK(value("where(x < y, t, s)", p) == 7);
  CHECK(value("x**2**0.5", p) == std::pow(3, std::sqrt(2.0)));
}

TEST_CASE("numbers are read as they are written", "[problem]") {
  const Problem p = plane();
  CHECK(parse_constant(text("1e-3"), p) == 1e-3);
  CHECK(parse_constant(text(".5"), p) == 0.5);
  CHECK(parse_constant(text("5."), p) == 5);
  CHECK(parse_constant(text("1.5E+2"), p) == 150);
  CHECK(parse_constant(text("4.9e-324"), p) == 4.9e-324);
  CHECK(parse_constant(text("2*pi"), p) == 2 * M_PI);
  CHECK(parse_constant(text("nu/k"), p) == 0.01 / 2);
  CHECK(parse_constant(text("(-2)^3"), p) == -8);
  CHECK(parse_constant(text("\n pi \t"), p) == M_PI);
}

TEST_CASE("every op of the list that has no sign of its own can be called", "[problem]") {
  const Problem p = plane();
  const auto check = [&](const std::string& call, std::string_view op) {
    const ExpressionPtr e = expression(call, {p});
    INFO(call);
    CHECK(e->kind == Kind::call);
    CHECK(e->name == op);
  };
  for (const std::string_view op : Unary::names)
    if (op != "neg" && op != "power") check(std::string(op) + "(u)", op);
  for (const char* op : {"pow", "atan2", "min", "max"}) check(std::string(op) + "(u, v)", op);
  const std::pair<const char*, const char*> signs[] = {
      {"u + v", "add"},     {"u - v", "sub"},
      {"u*v", "mul"},       {"u/v", "div"},
      {"u < v", "less"},    {"u <= v", "less_equal"},
      {"u > v", "greater"}, {"u >= v", "greater_equal"},
      {"u^v", "pow"},       {"-u", "neg"}};
  for (const auto& [call, op] : signs) check(call, op);
  for (const std::string_view op : Binary::names)
    CHECK((find_function(op) != nullptr || op == "add" || op == "sub" || op == "mul" ||
           op == "div" || op == "masked" || !comparison_sign(op).empty()));
}

TEST_CASE("sugar means what it stands for", "[problem]") {
  const Problem p = plane();
  const Scope inside{p}, wall{p, Scope::Use::residual, true};
  check_same("u_xx", "d(u, x, 2)", inside);
  check_same("u_xy", "d(d(u, x), y)", inside);
  check_same("u_yx", "u_xy", inside);
  check_same("d(u_x, x, 2)", "u_xxx", inside);
  check_same("laplacian(u)", "u_xx + u_yy", inside);
  check_same("div(grad(u))", "laplacian(u)", inside);
  check_same("div(u, v)", "u_x + v_y", inside);
  check_same("div((u, v))", "u_x + v_y", inside);
  check_same("div(k*grad(u))", "d(k*u_x, x) + d(k*u_y, y)", inside);
  check_same("dot((u, v), grad(u))", "u*u_x + v*u_y", inside);
  check_same("dot(grad(u) + grad(v), -(u, v)/2)", "(u_x + v_x)*(-u/2) + (u_y + v_y)*(-v/2)",
             inside);
  check_same("u_n", "n_x*u_x + n_y*u_y", wall);
  check_same("q_n", "n_x*d(q, x) + n_y*d(q, y)", wall);
  check_same("q_t", "d(nu*u_x, t)", inside);
  check_same("u = v", "u - v", inside);
  check_same("u = 0", "u", inside);
  check_same("u**2", "pow(u, 2)", inside);
}

TEST_CASE("a name that is declared wins over a derivative", "[problem]") {
  Problem p = plane();
  p.fields.push_back({"u_x", "", 1});

  CHECK(expression("u_x", {p})->kind == Kind::field);
  CHECK(expression("u_x", {p})->index == 2);
  CHECK(expression("u_xy", {p})->kind == Kind::derivative);
}

TEST_CASE("suffixes split into names of coordinates in exactly one way", "[problem][errors]") {
  Problem p;
  p.coordinates = {{"x1", 0, 1, Role::space, ""},
                   {"x", 0, 1, Role::space, ""},
                   {"xx", 0, 1, Role::space, ""},
                   {"x_2", 0, 1, Role::space, ""}};
  p.fields = {{"u", "", 1}, {"u_1", "", 1}};

  CHECK(same(*expression("u_x1x1", {p}), *expression("d(u, x1, 2)", {p})));
  CHECK(same(*expression("u_1_x", {p}), *expression("d(u_1, x)", {p})));
  CHECK(same(*expression("u_x_2", {p}), *expression("d(u, x_2)", {p})));
  CHECK(message([&] { expression("u_xx", {p}); }) ==
        about("u_xx", 0, 4, "'u_xx' can be read in more than one way",
              "write d(u, x, 2) or d(u, xx)"));
  CHECK(message([&] { expression("u_xx1", {p}); }) == "no error");
}

TEST_CASE("constants are numbers that keep their name, and numbers are computed", "[problem]") {
  const Problem p = plane();
  CHECK(expression("nu", {p})->name == "nu");
  CHECK(expression("nu", {p})->number == 0.01);
  const ExpressionPtr e = expression("u*(2*nu + sin(pi)*0)", {p});
  CHECK(e->inputs[1]->kind == Kind::number);
  CHECK(e->inputs[1]->number == 0.02);
}

TEST_CASE("a define is one node with several parents", "[problem]") {
  const Problem p = plane();
  const ExpressionPtr e = expression("q*q + sin(q)", {p});
  CHECK(e->inputs[0]->inputs[0] == e->inputs[0]->inputs[1]);
  CHECK(e->inputs[0]->inputs[0] == e->inputs[1]->inputs[0]);
  CHECK(e->inputs[0]->inputs[0] == p.defines[0].parts[0]);
}

TEST_CASE("derivatives that are known are numbers, those of derivatives one node", "[problem]") {
  const Problem p = plane();
  CHECK(is_constant(*expression("d(x, x)", {p}), 1));
  CHECK(is_constant(*expression("d(x, x, 2)", {p}), 0));
  CHECK(is_constant(*expression("d(x*y, t)", {p}), 0));
  CHECK(is_constant(*expression("d(s*nu, x)", {p}), 0));
  const ExpressionPtr e = expression("d(d(d(u*v, x), t), x)", {p});
  CHECK(e->kind == Kind::derivative);
  CHECK(e->inputs[0]->kind == Kind::call);
  CHECK(e->order == MultiIndex{2, 0, 1});
}

TEST_CASE("data columns, normals and N are leaves where they exist", "[problem]") {
  const Problem p = plane();
  CHECK(expression("signal", {p, Scope::Use::residual, false, {"noise", "signal"}})->kind ==
        Kind::column);
  CHECK(expression("signal", {p, Scope::Use::residual, false, {"noise", "signal"}})->index == 1);
  CHECK(expression("n_y", {p, Scope::Use::residual, true})->kind == Kind::normal);
  CHECK(expression("n_y", {p, Scope::Use::residual, true})->index == 1);
  CHECK(expression("N", {p, Scope::Use::output})->kind == Kind::raw_output);
}

TEST_CASE("a node knows the bytes it was read from", "[problem]") {
  const Problem p = plane();
  const ExpressionPtr e = expression("u + sin(v) * 2", {p});
  CHECK(e->begin == 0);
  CHECK(e->end == 14);
  CHECK(e->inputs[1]->inputs[0]->begin == 4);
  CHECK(e->inputs[1]->inputs[0]->end == 10);
}
