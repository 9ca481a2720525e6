#include "solvers/train/adapt/ramp.h"

#include <cmath>

#include <fmt/format.h>

#include "autograd/core/error.h"
#include "autograd/core/stats.h"
#include "solvers/problem/rewritten.h"
#include "solvers/train/begin.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// nu u_xx = -k sin(pi x) on ten points, u = 0 at the ends by its form; k is written with nu.
Run ramped_run(std::vector<Stage> stages, double nu = 0.1) {
  auto p = problem({"x"}, {"u"}, {});
  p->constants = {{"nu", nu, fmt::format("{}", nu)}, {"k", nu * 4, "nu*4"}};
  Warnings warnings;
  const std::string equation = "nu*u_xx = -k*sin(pi*x)";
  p->requirements[0].residuals.push_back(
      {"poisson", parse_residual(text(equation), Scope{*p}, warnings), 1, text(equation)});
  p->outputs[0] = parse_expression(text("(1 - x^2)*N"), Scope{*p, Scope::Use::output}, warnings);
  Run run = run_of(*p, std::move(stages));
  for (std::size_t i = 0; i < run.stages.size(); ++i)
    if (!run.stages[i].ramp.empty())
      run.effective["stage." + std::to_string(i + 1) + ".ramp"] = "{...}";
  return run;
}

Stage ramped(const std::string& kind, long steps, double from, int levels) {
  Stage s = stage(kind, steps);
  s.ramp = {{"nu", from, levels}};
  return s;
}

double value_at(const Run& run, std::int64_t step) {
  return ramped_values(run, run.stages[0], step).at("nu");
}

/// The values of a column of the history, without those that were not evaluated.
std::vector<std::pair<std::int64_t, double>> column(const LossHistory& h, const std::string& name) {
  std::vector<std::pair<std::int64_t, double>> found;
  const auto k =
      std::size_t(std::find(h.columns.begin(), h.columns.end(), name) - h.columns.begin());
  REQUIRE(k < h.columns.size());
  for (std::size_t i = 0; i < h.steps.size(); ++i)
    if (const double v = h.values[i * h.columns.size() + k]; !std::isnan(v))
      found.push_back({h.steps[i], v});
  return found;
}

}  // namespace

TEST_CASE("a ramp goes by equal factors in equal numbers of steps, and ends at the constant",
          "[train][ramp]") {
  const Run run = ramped_run({ramped("adam", 100, 1.6, 5)});

  for (std::int64_t step = 0; step < 100; ++step)
    CHECK(value_at(run, step) == Approx(1.6 * std::pow(0.5, double(step / 20))));
  CHECK(value_at(run, 80) == 0.1);  // to the last bit
  CHECK(value_at(run, 100) == 0.1);
  CHECK(next_level(run.stages[0], 0) == 20);
  CHECK(next_level(run.stages[0], 79) == 80);
  CHECK(next_level(run.stages[0], 80) == 100);
  CHECK(!is_ramp_over(run.stages[0], 79));
  CHECK(is_ramp_over(run.stages[0], 80));
}

TEST_CASE("a ramp through zero goes by equal differences", "[train][ramp]") {
  const Run run = ramped_run({ramped("adam", 9, -0.2, 3)});
  CHECK(value_at(run, 0) == -0.2);
  CHECK(value_at(run, 3) == Approx(-0.05));
  CHECK(value_at(run, 6) == 0.1);
}

TEST_CASE("a ramp has no more levels than its stage has steps", "[train][ramp]") {
  const Run run = ramped_run({ramped("adam", 3, 0.2, 100)});
  CHECK(value_at(run, 0) == 0.2);
  CHECK(value_at(run, 2) == 0.1);
  const Run none = ramped_run({ramped("adam", 0, 0.2, 100)});
  CHECK(value_at(none, 0) == 0.1);
}

TEST_CASE("constants that are written with a ramped one follow it", "[train][ramp]") {
  const Run run = ramped_run({stage("adam", 1)});
  const Problem other = with_constants(run.problem, {{"nu", 0.25}});
  CHECK(other.constants[1].value == 1);
  const Scope scope{run.problem, Scope::Use::residual};
  CHECK(print(*with_constants(run.problem, {}).requirements[0].residuals[0].expression, scope) ==
        print(*run.problem.requirements[0].residuals[0].expression, scope));
}

TEST_CASE("the steps of a level are those of the problem with its constant", "[train][ramp]") {
  const Folder folder;
  train(ramped_run({ramped("adam", 40, 1.6, 2)}), request(folder / "ramped"));
  train(ramped_run({stage("adam", 20)}, 1.6), request(folder / "first"));

  const LossHistory ramped = saved_state(folder / "ramped").history;
  const LossHistory first = saved_state(folder / "first").history;
  REQUIRE(ramped.steps.size() == 4);
  for (std::size_t i : {0u, 1u})
    CHECK(ramped.values[i * ramped.columns.size()] == first.values[i * first.columns.size()]);
  using Values = std::vector<std::pair<std::int64_t, double>>;
  CHECK(column(ramped, "constant:nu") == Values{{10, 1.6}, {20, 1.6}, {30, 0.1}, {40, 0.1}});
}

TEST_CASE("the levels of a ramp run the programs that were compiled for the first",
          "[train][ramp]") {
  const Folder folder;
  const auto compiles = [&](int levels) {
    const std::int64_t before = stats().compiles;
    train(ramped_run({ramped("adam", 60, 1.6, levels)}), request(folder / std::to_string(levels)));
    return stats().compiles - before;
  };
  const std::int64_t two = compiles(2);
  CHECK(two > 0);
  CHECK(compiles(30) == two);
}

TEST_CASE("only at the constant's own value is a network judged", "[train][ramp]") {
  const Folder folder;
  Run run = ramped_run({ramped("adam", 300, 1.6, 3)});
  train(run, request(folder / "run"));

  const TrainState state = saved_state(folder / "run");
  for (const auto& [step, value] : column(state.history, "held_out")) CHECK(step >= 300);
  CHECK(state.best.step == 300);

  run.options.patience = 60;  // would have run out in the second level
  train(run, request(folder / "patient"));
  CHECK(saved_state(folder / "patient").step >= 260);
}

TEST_CASE("no loss at another value of a constant is small enough to end a run", "[train][ramp]") {
  const Folder folder;
  Run run = ramped_run({ramped("adam", 40, 1e-6, 2)});
  run.options.stop_below = 1e-3;  // which nu = 1e-6 has from the beginning
  train(run, request(folder / "run"));
  CHECK(saved_state(folder / "run").step == 40);
}

TEST_CASE("an optimizer that is done with a level goes on with the next", "[train][ramp]") {
  const Folder folder;
  Run run = ramped_run({ramped("lbfgs", 400, 1.6, 4)});
  run.stages[0].optimizer.tolerance = 0.5;
  train(run, request(folder / "run"));

  const TrainState state = saved_state(folder / "run");
  CHECK(state.step < 300);        // it did not wait for the steps of the levels
  CHECK(state.ramp_step == 300);  // and reached the last
  CHECK(!state.best.parameters.empty());
}

TEST_CASE("a run with a ramp that is stopped after every step ends as one never stopped",
          "[train][ramp][resume]") {
  const std::string kind = GENERATE("adam", "lbfgs", "ssbroyden");
  INFO(kind);
  Run run = ramped_run({ramped(kind, 30, 1.6, 4), stage("adam", 10)});
  run.stages[0].optimizer.tolerance = kind == "lbfgs" ? 0.05 : 0;
  const Folder folder;
  train(run, request(folder / "whole"));

  CHECK(train_step_by_step(run, folder / "pieces") > 10);
  CHECK(are_same(folder / "whole", folder / "pieces"));
}

TEST_CASE("a network is judged as soon as the constant has its own value",
          "[train][ramp][resume]") {
  Run run = ramped_run({ramped("adam", 30, 1.6, 3)});
  run.stages[0].optimizer.rate = 10;  // what is judged later is worse
  const Folder folder;
  train(run, request(folder / "whole"));
  CHECK(saved_state(folder / "whole").best.smallest_step == 20);

  train_step_by_step(run, folder / "pieces");
  CHECK(are_same(folder / "whole", folder / "pieces"));
}

TEST_CASE("points are chosen by the residual of the stage's own constants",
          "[train][ramp][resume]") {
  Run run = ramped_run({stage("adam", 10), ramped("adam", 30, 1.6, 3), stage("adam", 10)});
  run.problem.constants[1] = {"k", 0.4, "0.4"};  // else nu is a factor of the residual
  for (Stage& one : run.stages) one.sampling = {.kind = "rad", .every = 4, .candidates = 60};
  const Folder folder;
  train(run, request(folder / "whole"));

  CHECK(train_step_by_step(run, folder / "pieces") > 10);
  CHECK(are_same(folder / "whole", folder / "pieces"));
}

TEST_CASE("a ramp may come and go between sittings", "[train][ramp][resume]") {
  const Folder folder;
  const auto sitting = [&](Stage stage) {
    Run run = ramped_run({std::move(stage)});
    run.options.checkpoint.every = 5;
    train(run, request(folder / "run", true));
    return saved_state(folder / "run");
  };
  sitting(stage("ssbroyden", 10));
  CHECK(sitting(ramped("ssbroyden", 40, 0.8, 4)).ramp_step == 30);
  CHECK(sitting(stage("ssbroyden", 50)).ramp_step == 0);
  CHECK(sitting(stage("ssbroyden", 60)).step == 60);
}

TEST_CASE("a checkpoint on another way than its stage's ramp is refused",
          "[train][ramp][checkpoint][errors]") {
  const Folder folder;
  const Run run = ramped_run({ramped("adam", 20, 1.6, 4)});
  train(run, request(folder / "run"));
  const Model model(std::make_shared<const Problem>(run.problem), run.networks);
  const auto refused_with = [&](std::int64_t step) {
    Checkpoint c = load_checkpoint(folder / "run/checkpoint.h5");
    c.state.ramp_step = step;
    try {
      require_sense(c, "some.h5");
      require_fit(c, run, model, {{"poisson", 1}}, "some.h5");
    } catch (const FileError& error) {
      return error.report.what;
    }
    return std::string();
  };
  CHECK(refused_with(15) == "");
  CHECK_THAT(refused_with(0), Contains("its ramp is at step 0 of a stage that is at 20"));
  CHECK_THAT(refused_with(-1), Contains("'ramp_step' is -1"));
  CHECK_THAT(refused_with(21), Contains("'ramp_step' is 21"));
}
