#include <cmath>

#include "data/geometry/measure.h"
#include "solvers/problem/integrals.h"
#include "solvers/residual/step/formulas.h"
#include "tests/catch.h"
#include "tests/solvers/residual/least_squares.h"

using namespace pinn;
using pinn::test::Disagreement;
using pinn::test::LeastSquaresCase;
using pinn::test::LossCase;
using pinn::test::problem;
using pinn::test::spread;

namespace {

using Texts = std::vector<std::string>;

/// Two fields and an unknown; residuals of a requirement that may be integrals.
std::shared_ptr<Problem> asked(const Texts& residuals, int quadrature = 5) {
  auto p = problem({"x", "t"}, {"u", "v"}, {"u_t = u_xx + v", "v_t = u*v_x"});
  p->unknowns.push_back({"l", 0.7, 0.1, 2.0, true});
  Requirement r;
  r.name = "asked";
  r.region = p->requirements[0].region;
  r.quadrature = quadrature;
  Scope scope{*p};
  set_integrals(r, scope);
  Warnings warnings;
  for (const std::string& text : residuals)
    r.residuals.push_back(
        {text, parse_residual(test::text(text), scope, warnings), 1.7, test::text(text)});
  p->requirements.push_back(r);
  return p;
}

LossCase loss_case(const std::shared_ptr<Problem>& p, Derivatives way, bool compiled) {
  NetworkOptions options = test::layers({6, 5});
  options.activation = {"tanh", "sin"};
  const auto model = std::make_shared<const Model>(p, options);
  LossCase c{model, {spread(*p, 12)}, {}};
  const Requirement& r = p->requirements[1];
  c.points.push_back(is_integral(r) ? nodes(*r.region, r.quadrature) : spread(*p, 9));
  c.options.derivatives = {way, way};
  c.options.compiled = compiled;
  return c;
}

/// Whatever numbers can be made of integrals.
const std::vector<Texts> of_integrals = {
    {"integral(u^2) = 1"},
    {"mean(u*v_x) = l"},
    {"integral(u_x^2 + v^2)/integral(u^2) = l", "integral(u*v) = 0"},
    {"exp(integral(u)) + l^2*mean(sin(v) + x*t) = 3", "l*integral(l*u) = integral(1 + t*v_xx)"}};

/// Formulas of points that ask for fields elsewhere.
const std::vector<Texts> of_points = {
    {"u = 1 + integral(exp(s - x)*at(u, x = s), s, 0, x)"},
    {"at(u_x*v, x = 0.5 - x/2) = l*u_t", "at(u, x = -1) - at(u, x = 1, t = 0) = v"},
    {"integral(at(u, x = s)*at(v, t = s/2 + 0.5), s, -1, x) = integral(s*u, s, 0, l)"},
    {"u = at(v, x = u*l/4) + at(at(u, x = t), t = x^2)"},
    {"integral(integral(at(u, x = r, t = s), r, -1, s), s, 0, t) = v_x"}};

std::vector<std::vector<Texts>> all() { return {of_integrals, of_points}; }

std::vector<double> parameters(const LossCase& c) {
  std::vector<double> p = c.model->initial_parameters(5);
  p.back() += 0.1;
  return p;
}

}  // namespace

TEST_CASE("a compiled loss of integrals is that op by op", "[residual][integrals]") {
  for (const auto& kind : all())
    for (const Texts& residuals : kind)
      for (const Derivatives way : {Derivatives::taylor, Derivatives::reverse}) {
        INFO(residuals[0]);
        const LossCase c = loss_case(asked(residuals), way, true);
        const std::vector<double> p = parameters(c);
        const test::Result compiled = c.at(p, true), eager = c.at(p, false);
        double apart = 0, size = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
          apart = test::larger(apart, std::fabs(compiled.gradient[i] - eager.gradient[i]));
          size = test::larger(size, std::fabs(eager.gradient[i]));
        }
        CHECK(apart < 1e-12 * size);
        for (std::size_t k = 0; k < eager.loss.terms.size(); ++k)
          CHECK(compiled.loss.terms[k] == Approx(eager.loss.terms[k]).epsilon(1e-11));
      }
}

TEST_CASE("rows, products and gradients of integrals agree with each other",
          "[residual][integrals]") {
  for (const auto& kind : all())
    for (const Texts& residuals : kind)
      for (const Derivatives way : {Derivatives::taylor, Derivatives::reverse})
        for (const bool compiled : {true, false}) {
          INFO(residuals[0] << (compiled ? ", compiled" : ", op by op"));
          const LossCase c = loss_case(asked(residuals), way, compiled);
          const Disagreement d = LeastSquaresCase(c, parameters(c)).disagreement();
          CHECK(d.gram < 1e-12);
          CHECK(d.products < 1e-12);
          CHECK(d.adjoint < 1e-12);
          CHECK(d.gradient < 1e-12);
          CHECK(d.hessian < 1e-6);
        }
}

TEST_CASE("rows of integrals in blocks are rows of integrals", "[residual][integrals]") {
  for (const DType dtype : {DType::float64, DType::float32}) {
    LossCase c = loss_case(asked(of_integrals[2]), Derivatives::taylor, true);
    c.options.dtype = dtype;
    ThreadPool pool(2);
    Loss loss(c.model, c.options, pool);
    for (std::size_t r = 0; r < 2; ++r) loss.set_points(r, c.points[r]);
    const std::vector<double> p = parameters(c);
    REQUIRE(loss.squares().rows() == 2 * 12 + 2);
    REQUIRE(loss.rows(1) == 1);
    std::vector<double> rows(loss.squares().rows() * p.size()), eaten(rows.size());
    loss.squares().jacobian_rows(p, 0, loss.squares().rows(), rows);
    loss.squares().jacobian(p, 4, [&](const JacobianRows<double>& some) {
      for (std::size_t i = 0; i < some.count; ++i)
        std::copy_n(some.row(i), p.size(), eaten.data() + (some.first + i) * p.size());
    });
    CHECK(eaten == rows);
  }
}

TEST_CASE("the loss of an integral is its misfit squared", "[residual][integrals]") {
  // The integral of a formula without fields, beside one that is 0: its measure is 2.
  const LossCase c = loss_case(asked({"integral(3 + 0*u) = l", "mean(x^2 + 2*t + 0*u) = 0"}),
                               Derivatives::taylor, true);
  const std::vector<double> p = parameters(c);
  const double l = c.model->unknown_values(p)[0];
  const Loss::Result at = c.at(p, true).loss;
  CHECK(at.terms[2] == Approx((6 - l) * (6 - l)).epsilon(1e-14));
  CHECK(at.terms[3] == Approx((4. / 3) * (4. / 3)).epsilon(1e-14));
  CHECK(at.total ==
        Approx(at.terms[0] + at.terms[1] + 1.7 * (at.terms[2] + at.terms[3])).epsilon(1e-14));
}

TEST_CASE("integrals have the same bits for any number of threads", "[residual][integrals]") {
  const LossCase c = loss_case(asked(of_integrals[2], 40), Derivatives::taylor, true);
  const test::Result one = c.at(parameters(c), true, 1), many = c.at(parameters(c), true, 3);
  CHECK(one.loss.terms == many.loss.terms);
  CHECK(one.gradient == many.gradient);
}

TEST_CASE("at(e, x = ...) is e there", "[residual][integrals]") {
  const auto p = problem({"x", "t"}, {"u"}, {"u_t = u_xx"});
  const auto model = std::make_shared<const Model>(p, test::layers({6, 5}));
  const std::vector<double> at = model->initial_parameters(3);
  const PointSet here = spread(*p, 7);
  Warnings warnings;
  const auto values = [&](const std::string& text, const PointSet& points) {
    const ExpressionPtr e = parse_expression(test::text(text), Scope{*p}, warnings);
    ThreadPool pool(1);
    const auto compiled = Formulas(model, {e})(at, points, pool)[0];
    const auto eager = evaluate_eagerly(*model, at, points, {e})[0];
    for (std::size_t i = 0; i < points.count; ++i)
      CHECK(compiled[i] == Approx(eager[i]).epsilon(1e-13).margin(1e-14));
    return compiled;
  };
  PointSet there = here;
  for (std::size_t i = 0; i < here.count; ++i) {
    there.x[2 * i] = here.x[2 * i + 1] - 0.3;
    there.x[2 * i + 1] = here.x[2 * i] * here.x[2 * i];
  }
  for (const std::string e : {"u", "u_xt*x + u", "exp(x - t)", "d(u*x, x)"}) {
    INFO(e);
    const auto moved = values("at(" + e + ", x = t - 0.3, t = x^2)", here), is = values(e, there);
    for (std::size_t i = 0; i < here.count; ++i) CHECK(moved[i] == Approx(is[i]).epsilon(1e-13));
  }
}

TEST_CASE("an integral over a name is exact for polynomials of its degree",
          "[residual][integrals]") {
  const auto p = problem({"x", "t"}, {"u"}, {"u_t = u_xx"});
  const auto model = std::make_shared<const Model>(p, test::layers({3}));
  const std::vector<double> at = model->initial_parameters(3);
  const PointSet here = spread(*p, 5);
  for (const int points : {1, 2, 3, 8, 20}) {
    Scope scope{*p};
    scope.quadrature = points;
    const int degree = 2 * points - 1;
    Warnings warnings;
    const auto error = [&](int power) {
      const std::string text = "integral(s^" + std::to_string(power) + ", s, x, 1 + t)";
      const auto values =
          evaluate_eagerly(*model, at, here, {parse_expression(test::text(text), scope, warnings)});
      double most = 0;
      for (std::size_t i = 0; i < here.count; ++i) {
        const double x = here.x[2 * i], t = here.x[2 * i + 1];
        const double exact = (std::pow(1 + t, power + 1) - std::pow(x, power + 1)) / (power + 1);
        most = test::larger(most, std::fabs(values[0][i] - exact) / std::pow(1 + t, power + 1));
      }
      return most;
    };
    INFO(points);
    CHECK(error(degree) < 1e-14);
    CHECK(error(0) < 1e-14);
    if (points < 8) CHECK(error(degree + 1) > 1e-6);
  }
}
