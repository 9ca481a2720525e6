#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/solvers/problem/texts.h"

#include <cmath>

#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/needs.h"

using namespace pinn;
using pinn::test::larger;

namespace {

double at(const ExpressionPtr& e, double x, double y, double t) {
  const double point[] = {x, y, t}, s[] = {0.7};
  return evaluate(*e, {.coordinates = point, .unknowns = s});
}

/// Fourth-order central difference along x.
double difference(const ExpressionPtr& e, double x, double y, double t) {
  const double h = 1e-3;
  return (8 * (at(e, x + h, y, t) - at(e, x - h, y, t)) -
          (at(e, x + 2 * h, y, t) - at(e, x - 2 * h, y, t))) /
         (12 * h);
}

/// The largest residual over a few points, with formulas in the place of the fields.
double largest(const Problem& p, const std::string& equation,
               const std::vector<std::string>& exact) {
  std::vector<ExpressionPtr> fields;
  for (const std::string& formula : exact)
    fields.push_back(expression(formula, {p, Scope::Use::formula}));
  const Evaluator value(*substitute_fields(residual(equation, {p}), fields));
  double most = 0;
  for (int i = 0; i < 50; ++i) {
    std::vector<double> x;
    for (std::size_t c = 0; c < p.coordinates.size(); ++c) {
      const double u = std::fmod(0.5 + i * (0.754877666 - 0.18 * double(c)), 1);
      x.push_back(p.coordinates[c].lower + u * (p.coordinates[c].upper - p.coordinates[c].lower));
    }
    most = larger(most, std::fabs(value({.coordinates = x})));
  }
  return most;
}

}  // namespace

TEST_CASE("the symbolic derivative of every op is the difference quotient, three times over",
          "[problem]") {
  const Problem p = plane();
  std::vector<std::string> formulas{"x^y",
                                    "y^x",
                                    "x^3",
                                    "x^-2",
                                    "x^2.5",
                                    "x/y",
                                    "y/x",
                                    "x*y - x",
                                    "atan2(x, y)",
                                    "min(x^2, y*x)",
                                    "max(x^2, y*x)",
                                    "where(y < t, x^2, sin(x))",
                                    "x*s + exp(x*y)",
                                    "where(y > t, 1, 2)*x^2"};
  for (const std::string_view op : Unary::names)
    if (op != "neg" && op != "power") formulas.push_back(std::string(op) + "(0.3 + 0.4*x*y)");
  for (const std::string& formula : formulas) {
    ExpressionPtr f = expression(formula, {p});
    for (int order = 1; order <= 3; ++order) {
      const ExpressionPtr df = differentiate(f, 0);
      INFO(formula << ", derivative " << order);
      CHECK(at(df, 0.8, 0.6, 1.3) ==
            Approx(difference(f, 0.8, 0.6, 1.3)).epsilon(1e-8).margin(1e-8));
      f = df;
    }
  }
}

TEST_CASE("a derivative folds zeros and ones and shares what it can", "[problem]") {
  const Problem p = plane();
  CHECK(is_constant(*differentiate(expression("3*x + y^2", {p}), 0), 3));
  CHECK(is_constant(*differentiate(expression("sin(y)*s", {p}), 0), 0));

  ExpressionPtr f = expression("exp(sin(x*y)*tanh(x) + x^2)", {p});
  for (int order = 0; order < 4; ++order) f = differentiate(f, 0);
  CHECK(in_order(*f).size() < 2000);
}

TEST_CASE("an evaluator asks the field callback for derivatives", "[problem]") {
  const Problem p = plane();
  PointValues values;
  const double x[] = {0, 0, 0}, normal[] = {0.6, 0.8, 0}, columns[] = {4};
  values.coordinates = x;
  values.normal = normal;
  values.columns = columns;
  values.field = [](int field, const MultiIndex& index) {
    return 100.0 * field + 10 * index[0] + index[1];
  };

  const ExpressionPtr e =
      expression("u_n + v_xx*signal + u", {p, Scope::Use::residual, true, {"signal"}});

  CHECK(evaluate(*e, values) == Approx(0.6 * 10 + 0.8 * 1 + 120 * 4));
}

TEST_CASE("an evaluator asks for what an expression needs, and for nothing else", "[problem]") {
  const MultiIndex x = unit_index(0);
  const ExpressionPtr u = make_leaf(Expression::Kind::field, 0);
  const ExpressionPtr e = make_call(
      "add", {make_derivative(u, x + x),
              make_call("mul", {make_leaf(Expression::Kind::field, 1), make_derivative(u, x)})});
  Needs asked;
  const double point[] = {0.5};
  evaluate(*e, {.coordinates = point,
                .unknowns = {},
                .columns = {},
                .normal = {},
                .field = [&](int field, const MultiIndex& order) {
                  asked.insert({field, order});
                  return 1.0;
                }});
  CHECK(asked == needs(*e));
}

TEST_CASE("exact solutions make residuals vanish", "[problem]") {
  Problem heat;
  heat.coordinates = {{"x", 0, 1, Role::space, ""}, {"t", 0, 1, Role::time, ""}};
  heat.fields = {{"u", "", 1}};
  CHECK(largest(heat, "u_t = u_xx", {"exp(-pi^2*t)*sin(pi*x)"}) < 1e-12);
  CHECK(largest(heat, "d((1 + x^2)*u_x, x) = (2*x + 1 + x^2)*u", {"exp(x)"}) < 1e-12);
  CHECK(largest(heat, "u_tt = u_xx - u_t + d(u^2, x)/2 - u*u_x + u_t", {"sin(x - t)"}) < 1e-12);
  CHECK(largest(heat, "u_t = 2*u_xx", {"exp(-pi^2*t)*sin(pi*x)"}) > 0.1);

  // L. I. G. Kovasznay, Proc. Camb. Phil. Soc. 44 (1948) 58-62: steady flow behind a grid, Re = 40.
  Problem flow;
  flow.coordinates = {{"x", -0.5, 1, Role::space, ""}, {"y", -0.5, 1.5, Role::space, ""}};
  flow.fields = {{"u", "", 1}, {"v", "", 1}, {"p", "", 1}};
  flow.constants = {{"Re", 40, "40"}, {"l", 20 - std::sqrt(400 + 4 * M_PI * M_PI), ""}};
  const std::vector<std::string> exact{"1 - exp(l*x)*cos(2*pi*y)", "l/(2*pi)*exp(l*x)*sin(2*pi*y)",
                                       "(1 - exp(2*l*x))/2"};
  CHECK(largest(flow, "dot((u, v), grad(u)) + p_x = laplacian(u)/Re", exact) < 1e-12);
  CHECK(largest(flow, "dot((u, v), grad(v)) + p_y = laplacian(v)/Re", exact) < 1e-12);
  CHECK(largest(flow, "div(u, v) = 0", exact) < 1e-12);
}

TEST_CASE("derivatives of products and functions of fields become those of fields alone",
          "[problem]") {
  const Problem p = plane();
  PointValues values;
  const double x[] = {0.3, -0.2, 0};
  values.coordinates = x;
  const auto derivative = [](double amount, const MultiIndex& a) {  // of amount * exp(x + 2 y)
    return amount * std::pow(2, a[1]) * std::exp(0.3 - 0.4);
  };
  values.field = [&](int field, const MultiIndex& a) { return derivative(1 + field, a); };
  const std::vector<ExpressionPtr> exact{expression("exp(x + 2*y)", {p, Scope::Use::formula}),
                                         expression("2*exp(x + 2*y)", {p, Scope::Use::formula})};
  for (const char* e :
       {"d(x*u*v_y, x)", "d(d(u^2*v, x), y)", "d(sin(u_x)/v, y)", "u_xxy + d(y*u, y)"}) {
    INFO(e);
    const ExpressionPtr alone = substitute_fields(expression(e, {p}), {});
    CHECK(evaluate(*alone, values) ==
          Approx(evaluate(*substitute_fields(expression(e, {p}), exact), values)));
  }
}

TEST_CASE("N can be replaced by a formula", "[problem]") {
  const Problem p = plane();
  const ExpressionPtr hard = expression("x*y + t*N", {p, Scope::Use::output});
  const ExpressionPtr raw = expression("x + 1", {p, Scope::Use::formula});
  CHECK(at(substitute_fields(hard, {}, raw), 2, 3, 5) == 6 + 5 * 3);
}

TEST_CASE("an evaluator carries derivatives of formulas out", "[problem]") {
  const Problem p = plane();
  const double x[] = {0.4, 0.7};
  const auto value = [&](const std::string& text) {
    return evaluate(*expression(text, {p}),
                    {.coordinates = x, .field = [](int, const MultiIndex& order) {
                       return order[0] == 1 ? 3.0 : 2.0;
                     }});
  };
  CHECK(value("d(sin(2*x), x)") == Approx(2 * std::cos(0.8)));
  CHECK(value("1 + laplacian(x^3*y)") == Approx(1 + 6 * 0.4 * 0.7));
  CHECK(value("d(x*u, x)") == Approx(2 + 0.4 * 3));
  const Interval box[] = {{0, 1}, {2, 2}};
  const Interval range = RangeEvaluator(*expression("d(x^2*y, x)", {p}))(box);
  CHECK(range.lower == Approx(0).margin(1e-12));
  CHECK(range.upper == Approx(4));
}

TEST_CASE("what cannot be evaluated or differentiated is our own mistake", "[problem][errors]") {
  const Problem p = plane();
  CHECK_THROWS_AS(evaluate(*expression("d(u*v, x)", {p}), {}), InternalError);
  CHECK_THROWS_AS(evaluate(*expression("u_x", {p}), {}), InternalError);
  CHECK_THROWS_AS(differentiate(expression("x*N", {p, Scope::Use::output}), 0), InternalError);
  CHECK_THROWS_AS(operation("sine", 1), InternalError);
}
