#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "solvers/trust/hidden.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// A run of one equation for u, whose form may be given; coordinates from -1 to 1.
Run run_with(const std::vector<std::string>& coordinates, const std::string& equation,
             const std::string& form, const std::vector<TablePtr>& tables = {}) {
  auto p = problem(coordinates, {"u"}, {});
  for (std::size_t k = 0; k < tables.size(); ++k)
    p->functions.push_back(
        {fmt::format("table{}", k), tables[k], {make_leaf(Expression::Kind::coordinate, 0)}, ""});
  Warnings warnings;
  p->requirements[0].residuals.push_back(
      {"equation", parse_residual(text(equation), Scope{*p}, warnings), 1, text(equation)});
  if (!form.empty())
    p->outputs[0] = parse_expression(text(form), Scope{*p, Scope::Use::output}, warnings);
  Run run = run_of(*p, {stage("adam", 1)});
  run.sampling[0].count = 1000;
  return run;
}

TablePtr table_of(Interpolation interpolation, const std::function<double(double)>& f,
                  std::size_t places) {
  std::vector<double> x, values;
  for (std::size_t i = 0; i < places; ++i) {
    x.push_back(-1 + 2 * double(i) / double(places - 1));
    values.push_back(f(x.back()));
  }
  return grid_table({.name = "table", .inputs = {"x"}, .interpolation = interpolation}, {x},
                    values);
}

/// Findings of either sight on the first network.
struct Seen {
  std::vector<Jump> jumps;
  std::vector<Unseen> unseen;
};
Seen seen_of(const Run& run) {
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  const std::vector<double> p = model->initial_parameters(3);
  ThreadPool pool(1);
  return {hidden_jumps(run, model, p, pool, {}), unseen_residuals(run, model, p, pool, {})};
}

}  // namespace

TEST_CASE("a kink, a step or a layer that residuals do not see is found", "[train]") {
  struct Fool {
    std::vector<std::string> coordinates;
    std::string equation, form;
  };
  const std::vector<Fool> fools{{{"x"}, "u_xx = 0", "abs(x) + (1 - x^2)*N"},
                                {{"x"}, "u_xx = 0", "max(x, 0.3) + (1 - x^2)*N"},
                                {{"x"}, "u_xx = 0", "relu(x + 0.51) + (1 - x^2)*N"},
                                {{"x"}, "u_xx = 0", "min(x^2, 0.25) + (1 - x^2)*N"},
                                {{"x"}, "u_x = 0", "where(x < 0.2, 0, 1) + (1 + x)*N"},
                                {{"x"}, "u_x = 0", "sign(x - 0.123) + (1 + x)*N"},
                                {{"x"}, "u_xxxx = 0", "relu(x)^3 + (1 - x^2)^2*N"},
                                {{"x"}, "u_xx = 0", "sqrt(x^2 + 1e-20) + (1 - x^2)*N"},
                                {{"x"}, "u_xx = 0", "(1 - x^2)*abs(x - 0.4)*N"},
                                {{"x"}, "u_xx = 1", "abs(N)"},
                                {{"x"}, "u_x = 0", "tanh(1e9*(x - 0.3)) + (1 + x)*N"},
                                {{"x"}, "u_xx = 0", "abs(sin(20*x)) + (1 - x^2)*N"},
                                {{"x"}, "u_xx = 0", "1e-3*abs(x - 0.71) + (1 - x^2)*N"},
                                {{"x", "t"}, "u_t = u_xx", "0.5 - abs(x) + (t + 1)*N"},
                                {{"x", "t"}, "u_t = u_x", "where(t < 0.5, 0, x) + (t + 1)*N"},
                                {{"x", "y"}, "u_xx + u_yy = 0", "abs(x - y) + N"},
                                {{"x", "y"}, "u_xx + u_yy = 0", "relu(0.04 - x^2 - y^2) + N"},
                                {{"x"}, "d((2 + tanh(1e7*(x - 0.2)))*u_x, x) = 1", ""},
                                {{"x"}, "u_xx = 1e6*exp(-(1e5*(x - 0.37))^2)", ""},
                                {{"x", "y"}, "u_xx + u_yy = 1e6*exp(-(1e4*(x - 0.1))^2)", ""},
                                {{"x", "t"}, "u_t = d((1 + exp(-(1e5*(x + 0.2))^2))*u_x, x)", ""}};
  for (const Fool& fool : fools) {
    INFO(fool.equation << " with " << fool.form);
    const Seen seen = seen_of(run_with(fool.coordinates, fool.equation, fool.form));
    CHECK(seen.jumps.size() + seen.unseen.size() > 0);
  }
}

TEST_CASE("a table that the residual asks for more than it has is found", "[train]") {
  const auto hat = [](double x) { return 1 - std::fabs(x); };
  const TablePtr linear = table_of(Interpolation::linear, hat, 21);
  CHECK(seen_of(run_with({"x"}, "u_xx = 0", "table0(x) + (1 - x^2)*N", {linear})).jumps.size() > 0);
}

TEST_CASE("a jump is told with its size and place, and by which derivative", "[train]") {
  const Seen seen = seen_of(run_with({"x"}, "u_xx = 0", "3*abs(x - 0.25) + (1 - x^2)*N"));
  REQUIRE(seen.jumps.size() == 1);
  CHECK(seen.jumps[0].quantity == "u_x");
  CHECK(seen.jumps[0].derivative == "u_xx");
  CHECK(seen.jumps[0].size == Approx(6));
  CHECK(seen.jumps[0].place.at(0) == Approx(0.25).margin(1e-6));
}

TEST_CASE("what is smooth, however steep, has no hidden jumps", "[train]") {
  struct Smooth {
    std::vector<std::string> coordinates;
    std::string equation, form;
  };
  const std::vector<Smooth> all{{{"x"}, "u_xx = 0", "tanh(300*x) + (1 - x^2)*N"},
                                {{"x"}, "u_x = 0", "abs(x) + (1 + x)*N"},
                                {{"x"}, "u_xx = 0", "relu(x)^3 + (1 - x^2)*N"},
                                {{"x", "t"}, "u_t + u*u_x = u_xx", "-sin(3*x) + (t + 1)*N"},
                                {{"x", "y"}, "u_xx + u_yy = 0", "sqrt(x^2 + y^2 + 0.01) + N"}};
  for (const Smooth& one : all) {
    INFO(one.form);
    CHECK(seen_of(run_with(one.coordinates, one.equation, one.form)).jumps.empty());
  }
  const TablePtr cubic = table_of(
      Interpolation::cubic, [](double x) { return std::cos(x); }, 9);
  CHECK(seen_of(run_with({"x"}, "u_xx = 0", "table0(x) + (1 - x^2)*N", {cubic})).jumps.empty());
}
