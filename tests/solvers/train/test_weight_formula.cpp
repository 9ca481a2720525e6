// Weights by a formula of the coordinates.
#include <cmath>
#include <map>

#include "autograd/core/error.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/point_formula.h"
#include "solvers/state/windows.h"
#include "solvers/train/adapt/reweigh.h"
#include "solvers/train/begin.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

std::shared_ptr<const PointFormula> weight(const Problem& problem, const std::string& formula) {
  Warnings warnings;
  return std::make_shared<const PointFormula>("weight", text(formula),
                                              PointFormula::Sign::not_negative, problem, warnings);
}

/// A system in x and t, a start, and what is read at some places.
Run system_run(std::vector<Stage> stages, std::vector<double> edges = {}) {
  auto p = problem({"x", "t"}, {"u"}, {"u_t = u_xx + x*t", "3*u_x = x^2"});
  Warnings warnings;
  Requirement start;
  start.kind = Requirement::Kind::condition;
  start.name = "start";
  start.region = parse_region({text("t = 0")}, *p);
  start.residuals.push_back(
      {"start", parse_residual(text("u = sin(x)"), Scope{*p}, warnings), 1, text("u = sin(x)")});
  p->requirements.push_back(start);
  Requirement readings;
  readings.kind = Requirement::Kind::data;
  readings.name = "readings";
  readings.data.emplace();
  readings.data->columns = {"w"};
  readings.data->rows = {0.1, 0.2, 0.5, 0.6, -0.3, 0.9, 0.7, 0.1};
  readings.data->values = {0.3, 0.1, 0.2, 0.4};
  readings.data->count = 4;
  readings.residuals.push_back(
      {"readings", parse_residual(text("u = w"), Scope{.problem = *p, .columns = {"w"}}, warnings),
       1, text("u = w")});
  p->requirements.push_back(readings);
  Run run = run_of(*p, std::move(stages));
  run.windows.edges = edges;
  return run;
}

/// The weights of all residuals: numbers, or formulas for some.
Run weighed(Run run, const std::vector<std::string>& formulas) {
  std::size_t k = 0;
  std::map<std::string, std::shared_ptr<const PointFormula>> all;  // as a file has them: each once
  for (Requirement& r : run.problem.requirements)
    for (Residual& residual : r.residuals)
      if (const std::string& f = formulas[k++]; !f.empty()) {
        if (!all[f]) all[f] = weight(run.problem, f);
        residual.weight_at = all[f];
      }
  return run;
}

}  // namespace

TEST_CASE("a weight by a formula multiplies the square at every point", "[train][weights]") {
  const bool compiled = GENERATE(true, false);
  const std::string formula = "1 + x^2*t";
  const Run run = weighed(system_run({stage("adam", 1)}), {formula, "", formula, "t"});
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  ThreadPool pool(1);
  LossOptions options;
  options.compiled = compiled;
  Loss with(model, options, pool), without(model, options, pool);
  std::vector<PointSet> points;
  for (std::size_t r = 0; r < 3; ++r) {
    points.push_back(points_of(run, r, "points", 0));
    PointSet bare = points[r];
    bare.weights.clear();
    with.set_points(r, points[r]);
    without.set_points(r, bare);
  }
  const std::vector<double> p = model->initial_parameters(1);
  std::vector<double> rows(without.squares().rows());
  without.squares().residual(p, rows);
  const Loss::Result loss = with.value(p);
  const std::vector<double>& found = loss.terms;
  std::vector<double> weighed_rows(with.squares().rows());
  with.squares().residual(p, weighed_rows);
  double squares = 0;
  for (const double r : weighed_rows) squares += r * r;
  CHECK(squares == Approx(loss.total).epsilon(1e-12));
  std::size_t row = 0, term = 0;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t k = 0; k < (r == 0 ? 2u : 1u); ++k, ++term) {
      double sum = 0;  // rows are divided by the root of their number
      for (std::size_t i = 0; i < points[r].count; ++i, ++row) {
        const double x = points[r].x[2 * i], t = points[r].x[2 * i + 1];
        const double w = term == 0 || term == 2 ? 1 + x * x * t : term == 3 ? t : 1;
        sum += w * rows[row] * rows[row];
      }
      CHECK(found[term] == Approx(sum).epsilon(1e-12));
    }
}

// Powers of 4 have roots without rounding, so all bits are the same.
TEST_CASE("a formula that is one number everywhere trains as that number", "[train][weights]") {
  const std::string kind = GENERATE("adam", "adamw", "sgd", "lbfgs", "ssbroyden");
  const bool eager = GENERATE(false, true);
  INFO(kind << (eager ? ", eager" : ""));
  Stage one = stage(kind, 12);
  if (kind == "adam") one.batch = 10;
  Run numbers =
      system_run({one}, kind == "ssbroyden" ? std::vector<double>{0.5} : std::vector<double>());
  numbers.sampling[0].redraw = 5;
  for (Requirement& r : numbers.problem.requirements) r.residuals[0].weight = 4;
  Run formulas = numbers;
  for (Requirement& r : formulas.problem.requirements) {
    r.residuals[0].weight = 1;
    r.residuals[0].weight_at = weight(formulas.problem, "4 + 0*x");
  }
  const TrainState a = state_after(numbers, eager), b = state_after(formulas, eager);
  CHECK(bits::same_bits(a.parameters, b.parameters));
  CHECK(a.best.residual == b.best.residual);
}

TEST_CASE("a run with weights by formulas stopped after every step ends as one never stopped",
          "[train][weights][resume]") {
  Stage one = stage("adam", 25);
  one.weighting = {.kind = "grad_norm", .every = 7, .memory = 0.5};
  one.pointwise = {.kind = "rba", .every = 3, .memory = 0.9, .rate = 0.05};
  one.causal = {.tolerance = 2, .chunks = 5, .every = 4};
  one.sampling.kind = "r3", one.sampling.every = 10, one.sampling.candidates = 100;
  Stage two = stage("adam", 15);
  two.batch = 10;
  Run run =
      weighed(system_run({one, stage("lbfgs", 12), two}, {0.5}), {"exp(-t)", "", "1 + x^2", "t"});
  run.sampling[1].redraw = 6;
  run.sampling[1].adaptive = false;
  run.sampling[1].density = [](std::span<const double> x) { return 1.1 + x[0]; };
  const Folder folder;
  train(run, request(folder / "whole"));
  CHECK(train_step_by_step(run, folder / "pieces") > 20);
  CHECK(are_same(folder / "whole", folder / "pieces"));
}

TEST_CASE("the weights of a scheme are on top of those by a formula", "[train][weights]") {
  Stage one = stage("adam", 1);
  one.pointwise = {.kind = "rba", .every = 1, .memory = 0.9, .rate = 0.05};
  one.causal = {.tolerance = 2, .chunks = 5, .every = 1};
  const Run plain = system_run({one}), formula = weighed(plain, {"1 + t", "1 + t", "", ""});
  const auto state_of = [&](const Run& run, PointSet& in_use, double& total) {
    const auto model =
        std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
    ThreadPool pool(1);
    Loss loss(model, {}, pool);
    TrainState state = first_state(run, *model, loss.terms());
    state.memory.resize(1);
    for (std::size_t r = 0; r < 3; ++r) loss.set_points(r, weighed_points(run, state, r));
    reweigh(run, state, loss);
    in_use = points_in_use(run, 0, state.draws[0]);
    total = loss.value(state.parameters.data<double>()).total;
    Loss other(model, {}, pool);
    for (std::size_t r = 0; r < 3; ++r) other.set_points(r, points_in_use(run, r, state.draws[r]));
    CHECK(other.value(state.parameters.data<double>()).total == total);
    return state;
  };
  PointSet a, b;
  double of_a = 0, of_b = 0;
  const TrainState without = state_of(plain, a, of_a), with = state_of(formula, b, of_b);
  CHECK(bits::same_bits(without.draws[0].weights, with.draws[0].weights));
  CHECK(of_b > of_a);
  for (std::size_t i = 0; i < a.count; ++i)
    CHECK(b.weights[2 * i] == Approx((1 + a.x[2 * i + 1]) * a.weights[2 * i]));
}

TEST_CASE("held-out residuals are weighed by the formula", "[train][weights]") {
  const Run run = weighed(system_run({stage("adam", 1)}), {"1 + t", "1 + t", "", ""});
  const PointSet points = held_out_points(run, 0);
  REQUIRE(points.weights.size() == points.count);
  CHECK(points.weights[3] == 1 + points.x[7]);
}

TEST_CASE("weights of a window are those of its places", "[train][weights][windows]") {
  const Run run = weighed(system_run({stage("adam", 1)}, {0.5}), {"t", "t", "1 + t", ""});
  ThreadPool pool(1);
  Windows windows(run, pool);
  windows.finish(windows.model()->initial_parameters(3));
  const PointSet start = points_of(windows.run(), 1, "points", 0);
  CHECK(start.weights == std::vector<double>(start.count, 1.5));
}

TEST_CASE("a weight below 0 or not finite is an error with its place", "[train][weights][errors]") {
  const auto p = problem({"x", "t"}, {"u"}, {"u_t = u_xx"});
  const auto square = interior(*p);
  CHECK_THROWS_WITH(weight(*p, "x - 2")->check(*square),
                    Contains("the weight is -") && Contains("test:1:1") && Contains("x = "));
  CHECK_THROWS_WITH(weight(*p, "log(x)")->check(*square), Contains("the weight is "));
  CHECK_NOTHROW(weight(*p, "(1 + x)*0")->check(*square));
}
