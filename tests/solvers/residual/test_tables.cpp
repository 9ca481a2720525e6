// Functions from data in residuals: what they are made of is held against the formulas that they
// are tables of.
#include <cmath>

#include "data/tables/scattered_table.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/residual/step/traced_sweep.h"
#include "tests/catch.h"
#include "tests/dice.h"
#include "tests/larger.h"
#include "tests/solvers/residual/both_ways.h"

using namespace pinn;
using namespace pinn::test;

namespace {

const std::vector<double> knots = {-4, -2.5, -1, -0.4, 0.3, 1, 2.2, 4};

/// m(s) = 1 + s - 0.3 s^2 + 0.1 s^3, exactly: it is cubic.
TablePtr of_one(Outside outside = Outside::error) {
  std::vector<double> values;
  for (const double s : knots) values.push_back(1 + s - 0.3 * s * s + 0.1 * s * s * s);
  return grid_table({"m", {"s"}, Interpolation::cubic, outside}, {knots}, values);
}
const std::string formula_of_one = "(1 + S - 0.3*S^2 + 0.1*S^3)";

/// a(s, r) = 1 + s r - 0.2 s^2 r^3, likewise.
TablePtr of_two() {
  std::vector<double> values;
  for (const double s : knots)
    for (const double r : knots) values.push_back(1 + s * r - 0.2 * s * s * r * r * r);
  return grid_table({"a", {"s", "r"}, Interpolation::cubic, Outside::error}, {knots, knots},
                    values);
}
const std::string formula_of_two = "(1 + S*R - 0.2*S^2*R^3)";

/// b(s, r) = 1 + s r - 0.2 s^2 r + 0.1 r^3 of scattered points, exactly: it is cubic. Or planes
/// near to it.
TablePtr of_points(Interpolation interpolation) {
  Dice dice(31);
  std::vector<double> points, values;
  for (int p = 0; p < 90; ++p) {
    const double s = 8 * dice.uniform() - 4, r = 8 * dice.uniform() - 4;
    points.insert(points.end(), {s, r});
    values.push_back(1 + s * r - 0.2 * s * s * r + 0.1 * r * r * r);
  }
  const TableOptions options{"b", {"s", "r"}, interpolation, Outside::clamp};
  return interpolation == Interpolation::cubic ? polyharmonic_table(options, points, values)
                                               : planes_table(options, points, values);
}
const std::string formula_of_points = "(1 + S*R - 0.2*S^2*R + 0.1*R^3)";

std::string put(std::string text, const std::string& name, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += by.size())
    text.replace(at, name.size(), by);
  return text;
}
std::string m(const std::string& s) { return put(formula_of_one, "S", "(" + s + ")"); }
std::string a(const std::string& s, const std::string& r) {
  return put(put(formula_of_two, "S", "(" + s + ")"), "R", "(" + r + ")");
}

std::string b(const std::string& s, const std::string& r) {
  return put(put(formula_of_points, "S", "(" + s + ")"), "R", "(" + r + ")");
}

std::shared_ptr<Problem> with_tables(const std::vector<std::string>& equations,
                                     const std::string& output = "") {
  auto p = problem({"x", "t"}, {"u"}, {});
  const auto x = make_leaf(Expression::Kind::coordinate, 0);
  p->functions = {{"m", of_one(), {x}, ""},
                  {"a", of_two(), {nullptr, nullptr}, ""},
                  {"b", of_points(Interpolation::cubic), {nullptr, nullptr}, ""},
                  {"planes", of_points(Interpolation::linear), {nullptr, nullptr}, ""}};
  Warnings none;
  for (const std::string& e : equations)
    p->requirements[0].residuals.push_back(
        {e, parse_residual(text(e), Scope{*p}, none), 1, text(e)});
  if (!output.empty())
    p->outputs[0] = parse_expression(text(output), Scope{*p, Scope::Use::output}, none);
  return p;
}

struct Pair {
  std::string table, formula, output, output_formula;
};

const std::vector<Pair> pairs = {
    {"u_t - m*u_xx", "u_t - " + m("x") + "*u_xx", "", ""},
    {"u_t - div(m(2*x + t)*grad(u))", "u_t - div(" + m("2*x + t") + "*grad(u))", "", ""},
    {"u*m_x + d(a(x, t), x, 2)", "u*d(" + m("x") + ", x) + d(" + a("x", "t") + ", x, 2)", "", ""},
    {"u - m(t^2)", "u - " + m("t^2"), "", ""},
    {"u_t - div(m(u)*grad(u))", "u_t - div(" + m("u") + "*grad(u))", "", ""},
    {"u_t - d(a(u, x)*u_x, x) + m(u*x)", "u_t - d(" + a("u", "x") + "*u_x, x) + " + m("u*x"), "",
     ""},
    {"d(a(u, u_x), x, 2) - u_t", "d(" + a("u", "u_x") + ", x, 2) - u_t", "", ""},
    {"u_t - div(b(u, x)*grad(u))", "u_t - div(" + b("u", "x") + "*grad(u))", "", ""},
    {"d(b(x, t), x, 2)*u + b(u*x, u_x)", "d(" + b("x", "t") + ", x, 2)*u + " + b("u*x", "u_x"), "",
     ""},
    {"d(b(u, t), x, 2) - u_t", "d(" + b("u", "t") + ", x, 2) - u_t", "", ""},
    {"u_t - u_xx", "u_t - u_xx", "m(x) + t*a(x, t)*N", m("x") + " + t*" + a("x", "t") + "*N"},
};

}  // namespace

TEST_CASE("a residual with a table is that with the polynomial it is a table of",
          "[residual][tables]") {
  for (const Pair& pair : pairs)
    for (const Derivatives way : {Derivatives::taylor, Derivatives::reverse}) {
      INFO(pair.table << ", " << name_of(way));
      const auto tables = with_tables({pair.table}, pair.output);
      const auto formulas = with_tables({pair.formula}, pair.output_formula);
      const Result found = loss_of(tables, way), expected = loss_of(formulas, way);
      CHECK(found.loss.total == Approx(expected.loss.total).epsilon(1e-9));
      double most = 0;
      for (const double g : expected.gradient) most = larger(most, std::fabs(g));
      for (std::size_t i = 0; i < found.gradient.size(); ++i)
        REQUIRE(found.gradient[i] == Approx(expected.gradient[i]).margin(1e-9 * most));
    }
}

TEST_CASE("a compiled step with tables computes what the ops on tensors do", "[residual][tables]") {
  for (const Pair& pair : pairs)
    for (const Derivatives way : {Derivatives::taylor, Derivatives::reverse}) {
      INFO(pair.table << ", " << name_of(way));
      const auto p = with_tables({pair.table}, pair.output);
      const auto model = std::make_shared<const Model>(p, layers({7, 6}));
      const LossCase c{model, {spread(*p, 300)}, {DType::float64, {way}}};
      CHECK(distance_both_ways(c, model->initial_parameters(3)) < 1e-12);
    }
}

TEST_CASE(
    "a compiled step with planes through scattered points computes what the ops on tensors do",
    "[residual][tables]") {
  for (const std::string residual :
       {"u_t - div(planes(u, x)*grad(u))", "d(planes(u, u_x), x) + planes(x, t)*u - u_t"})
    for (const Derivatives way : {Derivatives::taylor, Derivatives::reverse}) {
      INFO(residual << ", " << name_of(way));
      const auto p = with_tables({residual});
      const auto model = std::make_shared<const Model>(p, layers({7, 6}));
      const LossCase c{model, {spread(*p, 300)}, {DType::float64, {way}}};
      CHECK(distance_both_ways(c, model->initial_parameters(3)) < 1e-12);
    }
}

TEST_CASE("second-order products of a step with tables are those op by op", "[residual][tables]") {
  const auto p = with_tables(
      {"u_t - div(m(u)*grad(u)) + m*u", "u_t - div(b(u, x)*grad(u))", "planes(u, x)*u_x"});
  const auto model = std::make_shared<const Model>(p, layers({5}));
  const std::vector<double> at = model->initial_parameters(3);
  ThreadPool pool(1);
  std::vector<double> direction(at.size()), products[2];
  for (std::size_t i = 0; i < at.size(); ++i) direction[i] = std::sin(double(i));
  for (const bool compiled : {true, false}) {
    LossOptions options;
    options.compiled = compiled;
    Loss loss(model, options, pool);
    loss.set_points(0, spread(*p, 100));
    products[compiled].resize(at.size());
    loss.squares().hessian_times(at, direction, products[compiled]);
  }
  for (std::size_t i = 0; i < at.size(); ++i)
    REQUIRE(products[0][i] == Approx(products[1][i]).epsilon(1e-9).margin(1e-12));
}

TEST_CASE("what is looked up of coordinates is computed once, and again for other points",
          "[residual][tables]") {
  const auto p = with_tables({"u - m*u_xx + m_x"});
  const auto model = std::make_shared<const Model>(p, layers({5}));
  const PointSet few = spread(*p, 50), more = spread(*p, 80);
  const TracedSweep step =
      trace_sweep({.model = model, .weights = {1}}, PointWidths(few), Sweep::gradient);
  for (const Value& v : step.graph.values) CHECK(v.op != Primitive::lookup);
  CHECK(step.known.graph.outputs.size() == 2);
  const std::vector<double> at = model->initial_parameters(3);
  ThreadPool pool(2);
  Loss loss(model, {}, pool);
  std::vector<double> gradient(at.size());
  for (const PointSet* points : {&few, &more, &few}) {
    loss.set_points(0, *points);
    const LossCase c{model, {*points}, {}};
    CHECK(loss.value_and_gradient(at, gradient).total ==
          Approx(c.at(at, false).loss.total).epsilon(1e-12));
  }
  const std::vector<ExpressionPtr> formulas = {p->requirements[0].residuals[0].expression};
  CHECK(Formulas(model, formulas)(at, more, pool)[0][7] ==
        Approx(evaluate_eagerly(*model, at, more, formulas)[0][7]));
}

TEST_CASE("in float32 a table of coordinates is what it is in float64", "[residual][tables]") {
  const auto p = with_tables({"u - m*u_xx", "u_t - m(u)"});
  const Result wide = loss_of(p, Derivatives::taylor);
  const Result narrow = loss_of(p, Derivatives::taylor, 40, 1, DType::float32);
  CHECK(narrow.loss.total == Approx(wide.loss.total).epsilon(1e-4));
}
