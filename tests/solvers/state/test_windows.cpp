#include "solvers/state/windows.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"
#include "data/files/h5_reader.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/rewritten.h"
#include "solvers/records/fields/export.h"
#include "solvers/residual/step/traced_sweep.h"
#include "solvers/train/begin.h"
#include "solvers/train/plan.h"
#include "solvers/watch/summary.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

Requirement condition(const Problem& p, const std::string& name, const std::string& on,
                      const std::vector<std::string>& residuals) {
  Warnings warnings;
  Requirement r;
  r.kind = Requirement::Kind::condition;
  r.name = name;
  r.on = on;
  r.region = parse_region({text(on)}, p);
  for (const std::string& one : residuals)
    r.residuals.push_back({residuals.size() == 1 ? name : name + "." + one,
                           parse_residual(text(one), Scope{p}, warnings), 1, text(one)});
  return r;
}

/// u_t = u_xx / 10 on [-1, 1] x [0, 1]: u = exp(-pi^2 t / 10) sin(pi x); 0 at the ends by its form.
Run heat_run(std::vector<Stage> stages, std::vector<double> edges = {}) {
  auto p = problem({"x", "t"}, {"u"}, {"u_t = 0.1*u_xx"});
  Warnings warnings;
  p->outputs[0] = parse_expression(text("(1 - x^2)*N"), Scope{*p, Scope::Use::output}, warnings);
  p->requirements.push_back(condition(*p, "start", "t = 0", {"u = sin(pi*x)"}));
  Run run = run_of(*p, std::move(stages));
  run.networks = {layers({10, 10})};
  run.sampling[0].count = 80;
  run.sampling[1].count = 30;
  run.reference.quantities = {exact("u", "exp(-0.1*pi^2*t)*sin(pi*x)", run.problem)};
  run.windows.edges = edges;
  if (!edges.empty()) run.effective["windows.count"] = std::to_string(edges.size() + 1);
  run.output.grid = {11, 9};
  return run;
}

/// A run with all that a state can hold, in two windows: an unknown, data, a wave's two initial
/// conditions, redrawn points, and a condition at the end of time.
Run full_run(std::vector<Stage> stages, std::vector<double> edges = {0.5}) {
  auto p = problem({"x", "t"}, {"u"}, {});
  p->unknowns.push_back({"k", 0.7, 0.01, 20.0, true});
  Warnings warnings;
  p->requirements[0].residuals.push_back(
      {"wave", parse_residual(text("u_tt = k*u_xx"), Scope{*p}, warnings), 1,
       text("u_tt = k*u_xx")});
  p->requirements.push_back(condition(*p, "start", "t = 0", {"u = sin(pi*x)", "u_t = 0"}));
  p->requirements.push_back(condition(*p, "walls", "boundary", {"u = 0"}));
  p->requirements.push_back(condition(*p, "last", "t = 1", {"u_t = 0"}));
  Requirement readings;
  readings.kind = Requirement::Kind::data;
  readings.name = "readings";
  readings.data.emplace();
  readings.data->columns = {"u_obs"};
  for (double t = 0.05; t < 1; t += 0.1) {
    readings.data->rows.insert(readings.data->rows.end(), {0.5, t});
    readings.data->values.push_back(std::cos(3.14159265358979 * t));
    ++readings.data->count;
  }
  readings.residuals.push_back(
      {"readings",
       parse_residual(text("u = u_obs"), Scope{.problem = *p, .columns = {"u_obs"}}, warnings), 1,
       text("u = u_obs")});
  p->requirements.push_back(readings);
  Run run = run_of(*p, std::move(stages));
  run.sampling[0].redraw = 7;
  run.sampling[1].redraw = 11;
  run.reference.quantities = {exact("u", "cos(pi*t)*sin(pi*x)", run.problem)};
  run.windows.edges = edges;
  if (!edges.empty()) run.effective["windows.count"] = std::to_string(edges.size() + 1);
  run.output.grid = {5, 5};
  return run;
}

std::shared_ptr<const Run> second_window(const Run& run, ThreadPool& pool) {
  Windows windows(run, pool);
  windows.finish(windows.model()->initial_parameters(3));
  return window_run(run, 1, windows.networks({})[0], pool, std::make_shared<StepCache>());
}

std::vector<std::string> names_of(const Problem& problem) {
  std::vector<std::string> names;
  for (const Requirement& r : problem.requirements) names.push_back(r.name);
  return names;
}

}  // namespace

TEST_CASE("a time at the end of a window is of that window", "[train][windows]") {
  const Run run = heat_run({stage("adam", 1)}, {0.25, 0.5});
  CHECK(window_count(run) == 3);
  CHECK(window_at(run, -1) == 0);
  CHECK(window_at(run, 0.25) == 0);
  CHECK(window_at(run, 0.26) == 1);
  CHECK(window_at(run, 0.5) == 1);
  CHECK(window_at(run, 2) == 2);
  CHECK(window_times(run, 2).lower == 0.5);
  CHECK(window_times(run, 2).upper == 1);
}

TEST_CASE("a window asks what lies in its slice of time", "[train][windows]") {
  const Run run = full_run({stage("adam", 1)});
  ThreadPool pool(1);
  using Names = std::vector<std::string>;
  const auto first = window_run(run, 0, {}, pool, std::make_shared<StepCache>());
  const auto second = second_window(run, pool);

  CHECK(names_of(first->problem) == Names{"equations", "start", "walls", "readings"});
  CHECK(names_of(second->problem) == Names{"equations", "start", "walls", "last", "readings"});
  CHECK(first->problem.requirements[3].data->count == 5);
  CHECK(second->problem.requirements[4].data->count == 5);
  CHECK(second->sampling.size() == 5);
  CHECK(second->sampling[0].redraw == 7);
  for (const auto& [window, lower, upper] : {std::tuple(first, 0.0, 0.5), {second, 0.5, 1.0}})
    for (std::size_t r = 0; r < window->problem.requirements.size(); ++r) {
      const PointSet points = points_of(*window, r, "points", 0);
      for (std::size_t n = 0; n < points.count; ++n) {
        CHECK(points.x[2 * n + 1] >= lower);
        CHECK(points.x[2 * n + 1] <= upper);
      }
      const std::size_t d = 2;
      CHECK((points.normals.empty() || points.normals.size() == points.count * d));
    }
  CHECK(points_of(*second, 1, "points", 0).x[1] == 0.5);
}

TEST_CASE("an integral at one time is asked in the window that has it", "[train][windows]") {
  Run run = heat_run({stage("adam", 1)}, {0.5});
  const auto add = [&](const std::string& name, const std::string& on, const std::string& asked) {
    Requirement r;
    r.kind = Requirement::Kind::condition;
    r.name = name;
    r.region = parse_region({text(on)}, run.problem);
    r.quadrature = 6;
    Scope scope{run.problem};
    set_integrals(r, scope);
    Warnings warnings;
    r.residuals.push_back({name, parse_residual(text(asked), scope, warnings), 2, text(asked)});
    run.problem.requirements.push_back(r);
    run.sampling.push_back(run.sampling[1]);
  };
  add("norm", "t = 0", "integral(u^2) = 1");
  add("late", "t = 0.7", "integral(u*x) = 0.3");
  ThreadPool pool(1);
  const auto first = window_run(run, 0, {}, pool, std::make_shared<StepCache>());
  const auto second = second_window(run, pool);

  using Names = std::vector<std::string>;
  CHECK(names_of(first->problem) == Names{"equations", "start", "norm"});
  CHECK(is_integral(first->problem.requirements[2]));
  CHECK(points_of(*first, 2, "points", 0).count == 6);
  REQUIRE(names_of(second->problem) == Names{"equations", "start", "norm", "late"});
  const Requirement& handed = second->problem.requirements[2];
  CHECK_FALSE(is_integral(handed));
  CHECK(handed.handed == 1);
  CHECK(handed.residuals[0].weight == 2);
  CHECK(points_of(*second, 2, "points", 0).columns.size() == 30);
  CHECK(points_of(*second, 2, "points", 0).x[1] == 0.5);
  const PointSet nodes = points_of(*second, 3, "points", 0);
  CHECK(is_integral(second->problem.requirements[3]));
  CHECK(nodes.count == 6);
  for (std::size_t n = 0; n < nodes.count; ++n) CHECK(nodes.x[2 * n + 1] == 0.7);
}

TEST_CASE("formulas of windows ask for no fields at other times", "[train][windows][errors]") {
  const Run run = heat_run({stage("adam", 1)}, {0.5});
  ThreadPool pool(1);
  const Windows windows(run, pool);
  const auto ask = [&](const std::string& e) {
    Warnings warnings;
    RunFormulas(run, windows.networks(windows.model()->initial_parameters(1)),
                {parse_expression(text(e), Scope{run.problem}, warnings)}, {});
  };
  CHECK_NOTHROW(ask("at(u, x = 0.5)"));
  CHECK_THROWS_WITH(ask("at(u, x = 0.5, t = 0)"), Contains("fields at other times"));
}

TEST_CASE("a window begins with the values and time derivatives of the one before",
          "[train][windows]") {
  const Run run = full_run({stage("adam", 1)});
  ThreadPool pool(1);
  const auto window = second_window(run, pool);
  const Requirement& start = window->problem.requirements[1];
  REQUIRE(start.residuals.size() == 2);
  CHECK(start.residuals[0].name == "start.u = sin(pi*x)");
  CHECK(start.handed == 2);

  const auto before = std::make_shared<const Model>(
      std::make_shared<const Problem>(
          window_run(run, 0, {}, pool, std::make_shared<StepCache>())->problem),
      run.networks);
  const PointSet points = points_of(*window, 1, "points", 0);
  REQUIRE(points.columns.size() == 2 * points.count);
  Warnings warnings;
  const Scope scope{run.problem};
  const auto values = evaluate_eagerly(*before, before->initial_parameters(3), points,
                                       {parse_expression(text("u"), scope, warnings),
                                        parse_expression(text("u_t"), scope, warnings)});
  for (std::size_t n = 0; n < points.count; ++n) {
    CHECK(points.columns[2 * n] == Approx(values[0][n]));
    CHECK(points.columns[2 * n + 1] == Approx(values[1][n]));
  }
  CHECK(held_out_points(*window, 1).columns.size() == 2 * held_out_points(*window, 1).count);
  CHECK(candidates_of(*window, 1, 50, 3).columns.size() == 100);
}

TEST_CASE("what a network is at the end of its window leaves the next one's start no residual",
          "[train][windows]") {
  // A network without time is the same function in every window.
  Run run = heat_run({stage("adam", 1)}, {0.5});
  ThreadPool pool(1);
  const auto window = second_window(run, pool);
  const auto model = std::make_shared<const Model>(std::make_shared<const Problem>(window->problem),
                                                   window->networks);
  std::vector<double> p = model->initial_parameters(3);
  for (int j = 0; j < 10; ++j) p[std::size_t(10 + j)] = 0;  // the weights of t
  Windows windows(run, pool);
  windows.finish(p);

  Loss loss(windows.model(), LossOptions{}, pool);
  for (std::size_t r = 0; r < windows.run().problem.requirements.size(); ++r)
    loss.set_points(r, points_of(windows.run(), r, "points", 0));

  CHECK(loss.value(p).terms[1] == Approx(0).margin(1e-30));
  CHECK(loss.value(model->initial_parameters(4)).terms[1] > 1e-4);
}

TEST_CASE("one window is no window, bit for bit", "[train][windows]") {
  const Folder folder;
  Run run = full_run({stage("ssbroyden", 20)}, {});
  train(run, request(folder / "none"));
  run.effective["windows.count"] = "1";
  train(run, request(folder / "one"));
  CHECK(are_same(folder / "none", folder / "one"));
  CHECK(newest_checkpoint(folder / "one").checkpoint->state.finished.empty());
}

TEST_CASE("two windows of heat come as near to the reference as one", "[train][windows]") {
  const Folder folder;
  const TrainResult one = train(heat_run({stage("ssbroyden", 400)}), request(folder / "one"));
  const TrainResult two =
      train(heat_run({stage("ssbroyden", 400)}, {0.5}), request(folder / "two"));

  REQUIRE(two.errors.size() == 1);
  INFO(one.errors[0].l2 << " " << two.errors[0].l2);
  CHECK(one.errors[0].l2 < 1e-3);
  CHECK(two.errors[0].l2 < 2e-3);
  REQUIRE(two.windows.size() == 2);
  CHECK(two.windows[1].from == 0.5);
  CHECK(two.windows[1].step == two.step);
  CHECK(two.windows[0].step <= 400);
  CHECK_THAT(summary(two), Contains("window 1 of 2, times 0 to 0.5"));
  CHECK_THAT(summary(two), Contains("\nof the last window:\n"));
  CHECK(saved_state(folder / "two").best.errors.at("u") == two.errors[0].l2);  // of all time
}

TEST_CASE("fields over all time are those of the windows", "[train][windows]") {
  const Folder folder;
  const Run run = heat_run({stage("ssbroyden", 60)}, {0.25, 0.5});
  train(run, request(folder / "run"));

  const TrainState state = saved_state(folder / "run");
  REQUIRE(state.finished.size() == 2);
  const std::vector<double> written =
      H5Reader(read_file(folder / "run/fields.h5"), "fields.h5").read<double>("/u").values;
  ThreadPool pool(1);
  Windows windows(run, pool);
  const std::vector<std::vector<double>> axes = grid_axes(run.problem, run.output.grid);
  const PointSet grid = grid_points(axes);
  REQUIRE(written.size() == grid.count);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::vector<double> p = k < 2 ? state.finished[k].best.parameters : state.best.parameters;
    const auto values = evaluate_eagerly(*windows.model(), p, grid, run.output.expressions)[0];
    for (std::size_t n = 0; n < grid.count; ++n)  // in the file, time comes first
      if (window_at(run, grid.x[2 * n + 1]) == k)
        CHECK(written[n % 9 * 11 + n / 9] == Approx(values[n]).margin(1e-12));
    if (k < 2) windows.finish(p);
  }
  const Written again = export_fields(run, state, "", folder / "again.h5", 1);
  CHECK(H5Reader(read_file(folder / "again.h5"), "again.h5").read<double>("/u").values == written);
}

TEST_CASE("times whose window is still to come have no fields", "[train][windows]") {
  Run run = heat_run({stage("adam", 30)}, {0.5});
  const Folder folder;
  run.options.max_time = 1e-9;
  REQUIRE(train(run, request(folder / "run")).interrupted);

  export_fields(run, saved_state(folder / "run"), "", folder / "some.h5", 1);
  const auto u = H5Reader(read_file(folder / "some.h5"), "some.h5").read<double>("/u").values;
  CHECK(std::isfinite(u[0]));
  CHECK(std::isnan(u.back()));  // t = 1
}

TEST_CASE("a run in windows that is stopped after every step ends as one never stopped",
          "[train][windows][resume]") {
  Stage ramped = stage("adam", 12);
  Run run = full_run({stage("ssbroyden", 13), ramped, stage("lbfgs", 5)});
  run.windows.carry = GENERATE(true, false);
  const Folder folder;

  train(run, request(folder / "whole"));
  CHECK(train_step_by_step(run, folder / "pieces") > 50);

  CHECK(are_same(folder / "whole", folder / "pieces"));
  const TrainState state = saved_state(folder / "whole");
  REQUIRE(state.finished.size() == 1);
  CHECK(state.finished[0].end == 30);
  CHECK(state.step == 60);
}

TEST_CASE("a run that was stopped where a window begins ends as one never stopped",
          "[train][windows][resume]") {
  Run run = full_run({stage("ssbroyden", 10)});
  const Folder folder;
  train(run, request(folder / "whole"));
  train(run, request(folder / "lost"));
  std::filesystem::remove(folder /
                          "lost/checkpoint.h5");  // leaves that of the second window's start
  const TrainState start = saved_state(folder / "lost");
  CHECK(start.step == 10);
  CHECK(start.finished.size() == 1);
  CHECK(start.stage == 0);
  CHECK(start.memory.empty());

  train(run, request(folder / "lost", true));
  CHECK(are_same(folder / "whole", folder / "lost"));
}

TEST_CASE("unknowns go on from window to window, and networks unless they are not carried",
          "[train][windows]") {
  Run run = full_run({stage("adam", 10)});
  ThreadPool pool(1);
  for (const bool carry : {true, false}) {
    run.windows.carry = carry;
    const auto window = second_window(run, pool);
    const Model model(std::make_shared<const Problem>(window->problem), window->networks);
    TrainState before;
    before.step = 10;
    before.best.parameters = model.initial_parameters(3);
    before.best.parameters.back() = 0.125;
    before.best.step = 10;
    const std::vector<double> best = before.best.parameters;
    const std::size_t terms = 6;
    const TrainState next =
        next_state(std::move(before), *window, model, std::vector<LossTerm>(terms));

    CHECK(next.parameters.values().back() == 0.125);
    CHECK((next.parameters.values() == best) == carry);
    CHECK(next.finished.at(0).best.parameters == best);
    CHECK(next.draws.at(0).step == 10);
  }
}

TEST_CASE("the plan says where time is cut", "[train][windows]") {
  CHECK_THAT(plan_text(heat_run({stage("adam", 1)}, {0.25, 0.5})),
             Contains("windows\n  3 of t, cut at 0.25, 0.5\n"));
  CHECK_THAT(plan_text(heat_run({stage("adam", 1)})), !Contains("windows"));
}

TEST_CASE("metrics and the status say which window", "[train][windows]") {
  const Folder folder;
  const Run run = heat_run({stage("adam", 20)}, {0.5});
  train(run, request(folder / "run"));

  const std::string metrics = read_file(folder / "run/metrics.jsonl");
  CHECK_THAT(metrics, Contains("{\"step\":20,\"window\":1,\"stage\":\"adam\""));
  CHECK_THAT(metrics, Contains("{\"step\":40,\"window\":2,\"stage\":\"adam\""));
  CHECK_THAT(read_file(folder / "run/status.json"), Contains("\"window\":2,\"windows\":2"));
  const std::string told = status(folder / "run");
  CHECK_THAT(told, Contains("window 2 of 2, its one stage done"));
  CHECK_THAT(told, Contains("windows with the networks of steps 20, then the network of step 40"));
}

TEST_CASE("a run starts from the first window of one in windows", "[train][windows]") {
  const Folder folder;
  train(heat_run({stage("adam", 20)}, {0.5}), request(folder / "windows"));
  TrainRequest from = request(folder / "from");
  from.init_from = folder / "windows";
  CHECK_THROWS_WITH(train(heat_run({stage("adam", 0)}), from),
                    Contains("windows is nothing and was 0.5"));
  from.folder.overwrite = true;
  train(heat_run({stage("adam", 0)}, {0.5}), from);
  CHECK(saved_state(folder / "from").finished[0].best.parameters ==
        saved_state(folder / "windows").finished[0].best.parameters);
}

TEST_CASE("a checkpoint of other windows than the run's is refused",
          "[train][windows][checkpoint][errors]") {
  const Folder folder;
  const Run run = heat_run({stage("adam", 10)}, {0.5});
  train(run, request(folder / "run"));
  const Checkpoint good = load_checkpoint(folder / "run/checkpoint.h5");
  ThreadPool pool(1);
  Windows windows(run, pool);
  windows.finish(good.state.finished[0].best.parameters);
  const auto refusal = [&](const auto& change) {
    Checkpoint forged = good;
    forged.state = copy_without_history(good.state);
    forged.state.history = good.state.history;
    change(forged.state);
    try {
      require_sense(forged, "some.h5");
      require_windows(forged, run, "some.h5");
      require_fit(forged, windows.run(), *windows.model(), {{"u_t = 0.1*u_xx", 1}, {"start", 1}},
                  "some.h5");
    } catch (const FileError& error) {
      return error.report.what;
    }
    return std::string();
  };
  using S = TrainState;
  CHECK(refusal([](S&) {}) == "");
  CHECK_THAT(refusal([](S& s) { s.finished.push_back(s.finished[0]); }),
             Contains("number of windows"));
  CHECK_THAT(refusal([](S& s) {
               s.finished.push_back({s.best, 20});
               s.best = {};
             }),
             Contains("'stage_step' is 10"));
  CHECK_THAT(refusal([](S& s) { s.history.columns[1] = ""; }),
             Contains("its history has no column"));
  CHECK_THAT(refusal([](S& s) { s.finished[0].end = 21; }), Contains("'windows/end' is 21"));
  CHECK_THAT(refusal([](S& s) { s.finished[0].end = -1; }), Contains("'windows/end' is -1"));
  CHECK_THAT(refusal([](S& s) { s.finished[0].best.parameters.pop_back(); }),
             Contains("best parameters"));
  CHECK_THAT(refusal([](S& s) { s.finished[0].best.parameters[0] = std::nan(""); }),
             Contains("'best/parameters' has a number that is not finite"));
  CHECK_THAT(refusal([](S& s) { s.finished[0].best.residual = std::nan(""); }),
             Contains("no residual"));
  CHECK_THAT(refusal([](S& s) { s.best.step = s.best.smallest_step = 5; }),
             Contains("'best/step' is 5"));
}

TEST_CASE("what is asked at the start of time is asked there alone", "[train][windows]") {
  Run run = full_run({stage("adam", 1)});
  const auto on = [&](std::vector<Text> regions) {
    Requirement r = run.problem.requirements[1];
    r.region = parse_region(regions, run.problem);
    return r;
  };
  CHECK(is_initial(on({text("t = 0 and x < 0.5")}), run.problem));
  CHECK(!is_initial(on({text("t = 0.5")}), run.problem));
  CHECK(!is_initial_in_part(on({text("t = 0")}), run.problem));
  CHECK(is_initial_in_part(on({text("t = 0"), text("x = 1")}), run.problem));
}

namespace {

/// The heat whose start is exact by its form, in every window.
Run hard_run(std::vector<Stage> stages, std::vector<double> edges) {
  Run run = heat_run(std::move(stages), std::move(edges));
  Warnings warnings;
  const ExpressionPtr written = parse_expression(text("initial(u) + (t - initial(t))*(1 - x^2)*N"),
                                                 Scope{run.problem, Scope::Use::output}, warnings);
  run.windows.outputs = {written};
  run.problem.outputs[0] = with_initial(written, 0, {initial_value(run.problem, 0)});
  return run;
}

/// Decay in time alone, whose start is exact: what a window hands over is one number.
Run hard_decay_run(std::vector<double> edges) {
  auto p = problem({"t"}, {"u"}, {"u_t = -u"});
  p->requirements.push_back(condition(*p, "start", "t = 0", {"u = 1"}));
  Run run = run_of(*p, {stage("adam", 1)});
  run.networks = {layers({6})};
  run.sampling[0].count = 20;
  Warnings warnings;
  const ExpressionPtr written = parse_expression(text("initial(u) + (t - initial(t))*N"),
                                                 Scope{run.problem, Scope::Use::output}, warnings);
  run.windows = {std::move(edges)};
  run.windows.outputs = {written};
  run.problem.outputs[0] = with_initial(written, 0, {initial_value(run.problem, 0)});
  return run;
}

/// The windows of a run of which some are done, with parameters as initialized.
Windows some_done(const Run& run, ThreadPool& pool, std::size_t done) {
  Windows windows(run, pool);
  for (std::uint64_t k = 0; k < done; ++k)
    windows.finish(windows.model()->initial_parameters(k + 1));
  return windows;
}

}  // namespace

TEST_CASE("initial(u) is what a condition says of the start of time", "[train][windows]") {
  const Run run = hard_run({stage("adam", 1)}, {});
  CHECK_THAT(print(*run.problem.outputs[0], Scope{run.problem, Scope::Use::output}),
             Contains("sin(3.14") && Contains("*x) + (t - 0)*(1 - x^2)*N"));
  CHECK(initial_fields(run.windows.outputs[0]) == std::vector<int>{0});
  CHECK(!says_initial(run.problem.outputs[0]));

  Run half = run;
  half.problem.requirements[1].region = parse_region({text("t = 0 and x < 0")}, run.problem);
  CHECK(initial_value(half.problem, 0) == nullptr);
}

TEST_CASE(
    "a window whose start is exact begins with the end of the one before, and its derivatives",
    "[train][windows]") {
  const Run run = hard_run({stage("adam", 1)}, {0.25, 0.5, 0.75});
  ThreadPool pool(1);
  Warnings warnings;
  std::vector<ExpressionPtr> formulas;
  for (const char* formula : {"u", "u_x", "u_xx", "u_xxx"})
    formulas.push_back(parse_expression(text(formula), Scope{run.problem}, warnings));
  PointSet points;
  for (const double x : {-0.7, -0.1, 0.3, 0.9}) {
    points.x.insert(points.x.end(), {x, 0.75});
    ++points.count;
  }
  const Windows three = some_done(run, pool, 3);
  const std::shared_ptr<const Model> before = three.networks({})[2].model;

  const auto there = evaluate_eagerly(*before, before->initial_parameters(3), points, formulas);
  const auto here =
      evaluate_eagerly(*three.model(), three.model()->initial_parameters(9), points, formulas);
  const auto compiled =
      Formulas(three.model(), formulas)(three.model()->initial_parameters(9), points, pool);
  for (std::size_t f = 0; f < formulas.size(); ++f)
    for (std::size_t n = 0; n < points.count; ++n) {
      CHECK(here[f][n] == Approx(there[f][n]).margin(1e-12));
      CHECK(compiled[f][n] == Approx(there[f][n]).margin(1e-12));
    }
}

TEST_CASE("a window whose start is exact is trained the same in all ways", "[train][windows]") {
  const bool in_space = GENERATE(true, false);
  const Run run =
      in_space ? hard_run({stage("adam", 1)}, {0.25, 0.5}) : hard_decay_run({0.25, 0.5});
  ThreadPool pool(1);
  const Windows windows = some_done(run, pool, 2);
  const std::vector<double> p = windows.model()->initial_parameters(5);
  const auto asked = [&](Derivatives way, bool compiled) {
    LossOptions options{DType::float64, {way, way}, compiled};
    Loss loss(windows.model(), options, pool);
    for (std::size_t r = 0; r < 2; ++r)
      loss.set_points(r, points_of(windows.run(), r, "points", 0));
    std::vector<double> gradient(p.size() + 1);
    gradient.back() = loss.value_and_gradient(p, std::span(gradient).first(p.size())).total;
    return gradient;
  };
  const std::vector<double> expected = asked(Derivatives::taylor, false);
  for (const auto& [way, compiled] : {std::pair(Derivatives::taylor, true),
                                      {Derivatives::reverse, true},
                                      {Derivatives::reverse, false}}) {
    const std::vector<double> found = asked(way, compiled);
    for (std::size_t i = 0; i < found.size(); ++i)
      CHECK(found[i] == Approx(expected[i]).epsilon(1e-8).margin(1e-12));
  }
}

TEST_CASE("a step in a window is given its start, and evaluates no window before it",
          "[train][windows]") {
  const Run run = hard_run({stage("adam", 1)}, {0.25, 0.5, 0.75});
  ThreadPool pool(1);
  const Windows windows = some_done(run, pool, 3);
  const PointSet points = points_of(windows.run(), 0, "points", 0);
  for (const Sweep kind : {Sweep::value, Sweep::gradient, Sweep::residual, Sweep::jacobian}) {
    const TracedSweep step =
        trace_sweep({.model = windows.model(), .weights = {1}}, PointWidths(points), kind);
    for (const Value& v : step.graph.values)
      if (v.op == Primitive::input)
        CHECK(step.given[std::size_t(v.input)].kind != InputSource::fixed);
    // The rows of J of an equation that is linear do not depend on where it starts.
    CHECK(step.known.graph.outputs.empty() == (kind == Sweep::jacobian));
  }
}

TEST_CASE("windows whose starts are exact are stopped after every step, and right",
          "[train][windows][resume]") {
  const Run run = hard_run({stage("ssbroyden", 60)}, {0.5});
  const Folder folder;
  const TrainResult result = train(run, request(folder / "whole"));
  train_step_by_step(run, folder / "pieces");

  CHECK(are_same(folder / "whole", folder / "pieces"));
  CHECK(result.errors.at(0).l2 < 2e-2);
  for (const TermResult& term : result.terms)
    if (term.name == "start") CHECK(term.held_out < 1e-20);
}
