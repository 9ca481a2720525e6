#include "solvers/results/reference_error.h"

#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// A run whose fields are these formulas, whatever is trained: x, y on [-1, 1], t on [0, 1].
Run run_against(const std::vector<std::string>& coordinates,
                const std::vector<std::pair<std::string, std::string>>& fields) {
  std::vector<std::string> names, equations;
  for (const auto& [name, formula] : fields) names.push_back(name), equations.push_back(name);
  const auto p = problem(coordinates, names, equations);
  Warnings warnings;
  for (std::size_t f = 0; f < fields.size(); ++f)
    p->outputs[f] = parse_expression(text(fields[f].second + " + 0*N"),
                                     Scope{*p, Scope::Use::output}, warnings);
  return run_of(*p, {stage("adam", 1)});
}

std::vector<Distance> distances(const Run& run) {
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  ThreadPool pool(1);
  return ReferenceError(run, model, nullptr)(model->initial_parameters(1), pool);
}

Distance only(const Run& run) {
  const std::vector<Distance> all = distances(run);
  REQUIRE(all.size() == 1);
  return all[0];
}

/// Solution u(x, t) = x + t on a grid, as a file has it.
Solution on_grid(const std::vector<double>& x, const std::vector<double>& t) {
  Solution s;
  s.values.emplace_back();
  for (const double at_x : x)
    for (const double at_t : t) {
      s.x.insert(s.x.end(), {at_x, at_t});
      s.values[0].push_back(at_x + at_t);
      ++s.count;
    }
  return s;
}

ReferenceQuantity in_file(const std::string& name, const Problem& problem) {
  Warnings warnings;
  return {name, parse_expression(text(name), Scope{problem}, warnings), {}};
}

}  // namespace

TEST_CASE("an exact reference is compared also where the output is at points of a file",
          "[train][reference]") {
  Run run = poisson_run({stage("adam", 5)});
  const Folder folder;
  run.output.grid.clear();
  run.output.points_file = folder.file("points.csv", "x\n-0.5\n0.25\n");

  const TrainResult result = train(run, request(folder / "run"));

  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].l2 > 0);
}

TEST_CASE("a layer that the model lacks is an error of its size, whatever the output grid",
          "[train][reference]") {
  // The layer's square has the integral 1e-5/2, that of sin(pi*x)^2 is 1; both over [-1, 1].
  Run run = run_against({"x"}, {{"u", "sin(pi*x)"}});
  run.reference.quantities = {exact("u", "sin(pi*x) + exp((x - 1)/1e-5)", run.problem)};
  run.output.grid = {GENERATE(2, 7, 101)};

  const Distance d = only(run);

  CHECK(d.l2 == Approx(std::sqrt(0.5e-5)).epsilon(0.02));
  CHECK(d.largest > 0.9);
  CHECK(d.where == "x = 1");
  CHECK_FALSE(d.absolute);
}

TEST_CASE("the largest error and its place are told beside the L2 error", "[train][reference]") {
  Run run = run_against({"x", "t"}, {{"u", "x"}});
  run.reference.quantities = {
      exact("u", "x + 0.01*exp(-1e4*((x - 0.25)^2 + (t - 0.5)^2))", run.problem)};

  const Distance d = only(run);

  CHECK(d.largest == Approx(0.01).epsilon(0.05));
  CHECK_THAT(distance_text(d), Contains("relative L2 error of u: ") && Contains(", largest 9.") &&
                                   Contains(" at x = 0.2") && Contains(", t = 0."));
}

TEST_CASE("a field that is not finite somewhere is told with the place, not as an error of nan",
          "[train][reference]") {
  const bool gauge = GENERATE(false, true);
  Run run = run_against({"x", "y"}, {{"u", "sqrt(x + 0.9)"}, {"p", "y"}});
  run.reference.quantities = {exact("u", "x", run.problem), exact("p", "y", run.problem)};
  if (gauge) run.reference.gauge = {true, true};

  const std::vector<Distance> d = distances(run);

  REQUIRE(d.size() == 2);
  CHECK(std::isnan(d[0].l2));
  CHECK_THAT(d[0].where, StartsWith("x = -0.9") && Contains(", y = "));
  CHECK(distance_text(d[0]) == "no error of u: it is not a finite number at " + d[0].where);
  CHECK(d[1].l2 < 1e-12);
}

TEST_CASE("where the reference is zero the error is absolute, and said to be",
          "[train][reference]") {
  Run run = run_against({"x", "y"}, {{"u", "1"}, {"v", "1e-3"}, {"p", "3"}});
  run.reference.quantities = {exact("u", "1", run.problem), exact("v", "0", run.problem)};

  std::vector<Distance> d = distances(run);

  REQUIRE(d.size() == 2);
  CHECK_FALSE(d[0].absolute);
  CHECK(d[0].l2 == 0);
  CHECK(d[1].absolute);
  CHECK(d[1].l2 == Approx(1e-3).epsilon(1e-9));
  CHECK_THAT(distance_text(d[1]),
             Contains("absolute L2 error of v: 1.00e-03 (its reference is zero), largest 1.0e-03"));

  run.reference.quantities = {exact("p", "2", run.problem)};  // zero but for the constant
  run.reference.gauge = {true, true};
  CHECK(only(run).absolute);
  CHECK(only(run).l2 < 1e-12);
}

TEST_CASE("derivatives and defines are compared under their names", "[train][reference]") {
  Run run = run_against({"x", "y"}, {{"u", "sin(x)*y"}, {"v", "x^2"}});
  Warnings warnings;
  const Scope scope{run.problem};
  run.problem.defines.push_back(
      {"w", {parse_expression(text("v_x - u_y"), scope, warnings)}, false, ""});
  run.reference.quantities = {exact("u_x", "cos(x)*y", run.problem),
                              exact("u_xy", "1.01*cos(x)", run.problem),
                              exact("w", "2*x - sin(x)", run.problem)};

  const std::vector<Distance> d = distances(run);

  REQUIRE(d.size() == 3);
  CHECK(d[0].name == "u_x");
  CHECK(d[0].l2 < 1e-14);
  CHECK(d[1].l2 == Approx(0.01 / 1.01).epsilon(1e-9));
  CHECK(d[2].name == "w");
  CHECK(d[2].l2 < 1e-14);
}

TEST_CASE("a gauge takes out what the other coordinates may decide, and no more",
          "[train][reference]") {
  // The model's pressure is right but for a function of time and for 1e-3 of its own.
  Run run = run_against({"x", "y", "t"}, {{"p", "1.001*cos(pi*x)*cos(pi*y)*exp(-t) + 5*sin(9*t)"}});
  run.reference.quantities = {exact("p", "cos(pi*x)*cos(pi*y)*exp(-t)", run.problem)};
  CHECK(only(run).l2 > 5);
  run.reference.gauge = {true, true, true};  // a constant is not enough
  CHECK(only(run).l2 > 5);
  run.reference.gauge = {true, true, false};
  CHECK(only(run).l2 == Approx(1e-3).epsilon(1e-6));
  CHECK(only(run).largest == Approx(1e-3).epsilon(0.05));

  // A derivative along the mean is known altogether, one along time is not.
  run.reference.quantities = {exact("p_x", "2 - pi*sin(pi*x)*cos(pi*y)*exp(-t)", run.problem),
                              exact("p_t", "-cos(pi*x)*cos(pi*y)*exp(-t) - 7", run.problem)};
  const std::vector<Distance> d = distances(run);
  CHECK(d[0].l2 > 0.1);
  CHECK(d[1].l2 == Approx(1e-3).epsilon(1e-6));
}

TEST_CASE("a gauge that leaves nothing to compare is refused", "[train][reference][errors]") {
  Run run = run_against({"x", "t"}, {{"u", "x + t"}});
  run.reference.solution = on_grid({0.5}, {0, 0.5, 1});
  run.reference.quantities = {in_file("u", run.problem)};
  run.reference.gauge = {true, false};
  CHECK_THROWS_AS(distances(run), ConfigError);
  CHECK_THROWS_WITH(distances(run), Contains("so there are no means to take"));
}

TEST_CASE("nodes of a file count for the share of the axis that they stand for",
          "[train][reference]") {
  Run run = run_against({"x", "t"}, {{"u", "x + t"}});
  run.reference.quantities = {in_file("u", run.problem)};
  run.reference.solution = on_grid({-1, -0.5, 0, 0.5, 1}, {0, 1});
  CHECK(only(run).l2 < 1e-15);

  // Off by 1 at x = 1 alone: that is one even node of five, but of uneven ones half of 0.001 in 2.
  run = run_against({"x", "t"}, {{"u", "x + t + where(x > 0.9999, 1, 0)"}});
  run.reference.quantities = {in_file("u", run.problem)};
  run.reference.solution = on_grid({-1, -0.5, 0, 0.5, 1}, {0, 1});
  CHECK(only(run).l2 == Approx(std::sqrt(0.2 / 1)).epsilon(1e-12));
  CHECK(only(run).where == "x = 1, t = 0");
  run.reference.solution = on_grid({-1, 0, 0.999, 1}, {0, 1});
  double sum = 0;
  const double shares[] = {0.25, 0.49975, 0.25, 0.00025}, x[] = {-1, 0, 0.999, 1};
  for (int i = 0; i < 4; ++i) sum += shares[i] * (x[i] * x[i] + (x[i] + 1) * (x[i] + 1)) / 2;
  CHECK(only(run).l2 == Approx(std::sqrt(0.00025 / sum)).epsilon(1e-9));
}

TEST_CASE("an exact formula that is not finite somewhere is refused with the place",
          "[train][reference][errors]") {
  Run run = run_against({"x"}, {{"u", "x"}});
  run.reference.quantities = {exact("u", "sqrt(x)", run.problem)};
  CHECK_THROWS_AS(distances(run), ConfigError);
  CHECK_THROWS_WITH(distances(run), Contains("the exact u is ") && Contains("nan at x = -"));
  run.reference.quantities = {exact("u", "x*log(abs(x))", run.problem)};  // at one point only
  CHECK(only(run).l2 > 0);
}

TEST_CASE("the errors of a result are those of its network, measured when it is there",
          "[train][reference]") {
  Stage ruin = stage("sgd", 37);  // ends between two judgements, far from the best
  ruin.optimizer.rate = 1e-2;
  ruin.optimizer.clip = 1;
  const Run run = poisson_run({stage("ssbroyden", 100), ruin});
  const Folder folder;

  const TrainResult result = train(run, request(folder / "run"));

  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  ThreadPool pool(1);
  const TrainState state = saved_state(folder / "run");
  REQUIRE(state.best.parameters != state.parameters.values());
  CHECK(result.errors == ReferenceError(run, model, nullptr)(state.best.parameters, pool));
}
