#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/files/h5_reader.h"
#include "solvers/watch/judge.h"
#include "solvers/watch/summary.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// Five points for forty numbers: there is a network that fits each point and nothing between them.
Run few_points(long steps) {
  Run run = poisson_run({stage("ssbroyden", steps)});
  run.sampling[0].count = 5;
  run.networks = {layers({13})};
  return run;
}

Stage ruin(long steps) {
  Stage s = stage("sgd", steps);
  s.optimizer.rate = 1e-2;  // far too large for this curvature, yet clipped: no overflow
  s.optimizer.clip = 1;
  return s;
}

}  // namespace

TEST_CASE("points that are learned by heart raise an alarm at the end", "[train][held-out]") {
  const Folder folder;

  const TrainResult result = train(few_points(800), request(folder / "run"));

  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(warning_text(result.warnings[0]), Contains("learned by heart") &&
                                                   Contains("most of it in 'u_xx") &&
                                                   Contains("redraw = 500"));
  REQUIRE(result.terms.size() == 1);
  CHECK(result.terms[0].held_out > 10 * result.terms[0].training);
  CHECK_THAT(read_file(folder / "run/status.json"), Contains("these are learned by heart"));
}

TEST_CASE("a right answer raises no alarm, however much better it fits its points",
          "[train][held-out]") {
  Run run = few_points(800);
  run.sampling[0].count = GENERATE(12, 15);
  const Folder folder;

  const TrainResult result = train(run, request(folder / "run"));

  REQUIRE(result.terms.size() == 1);
  CHECK(result.terms[0].held_out > 100 * result.terms[0].training);
  CHECK(result.errors[0].l2 < 1e-3);
  CHECK(result.warnings.empty());
  CHECK_THAT(read_file(folder / "run/status.json"), !Contains("learned by heart"));
}

TEST_CASE("enough points raise no alarm", "[train][held-out]") {
  Run run = few_points(800);
  run.sampling[0].count = 100;
  const Folder folder;

  const TrainResult result = train(run, request(folder / "run"));

  CHECK(result.warnings.empty());
  CHECK(result.errors[0].l2 < 1e-4);
  CHECK_THAT(read_file(folder / "run/status.json"), !Contains("learned by heart"));
}

TEST_CASE("an alarm wants ten times the residual, and more than rounding leaves",
          "[train][held-out]") {
  CHECK(learned_by_heart({.training = 1e-20, .held_out = 97, .worst = "u"}, 1));
  CHECK(learned_by_heart({.training = 1, .held_out = 10.1, .worst = "u"}, 1));
  CHECK_FALSE(learned_by_heart({.training = 1, .held_out = 9.9, .worst = "u"}, 1));
  CHECK_FALSE(learned_by_heart({.training = 1e-24, .held_out = 1e-22, .worst = "u"}, 1));
  CHECK(learned_by_heart({.training = 1e-24, .held_out = 1e-22, .worst = "u"}, 1e-6));
}

TEST_CASE("data, of which none are held out, do not dilute the alarm", "[train][held-out]") {
  const Run run = inverse_run({stage("adam", 10)});
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  ThreadPool pool(1);
  const Judge judge(run, model, {DType::float64, {}}, pool);

  const Gap gap = judge.gap({7, {1, 0.5, 5}}, {50, {2, 20, 8}});  // poisson, ends (twice), readings

  CHECK(gap.training == 1 + 2 * 0.5);
  CHECK(gap.held_out == 2 + 2 * 20);
  CHECK(gap.worst == "ends");
}

TEST_CASE("the largest residual is that of the points themselves", "[train][held-out]") {
  const Run run = inverse_run({stage("adam", 10)});
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  ThreadPool pool(1);
  Loss loss(model, {DType::float64, {}}, pool);
  const std::vector<double> x = {-0.9, -0.2, 0.55};
  loss.set_points(0, {3, x, {}, {}, {}});
  loss.set_points(1, {2, {-1, 1}, {-1, 1}, {}, {}});
  loss.set_points(2, {1, {0.5}, {}, {3}, {}});
  const std::vector<double> p = model->initial_parameters(3);

  const std::vector<double> largest = loss.largest(p);

  REQUIRE(largest.size() == 3);
  Warnings warnings;
  Formulas formulas(
      model, {parse_expression(text("abs(u_xx + k*sin(pi*x))"), Scope{run.problem}, warnings),
              parse_expression(text("u"), Scope{run.problem}, warnings)});
  const auto there = formulas(p, {3, x, {}, {}, {}}, pool);
  CHECK(largest[0] == Approx(*std::max_element(there[0].begin(), there[0].end())).epsilon(1e-12));
  const auto ends = formulas(p, {2, {-1, 1}, {}, {}, {}}, pool);
  CHECK(largest[1] ==
        Approx(std::max(std::fabs(ends[1][0]), std::fabs(ends[1][1]))).epsilon(1e-12));
  CHECK(largest[2] == Approx(std::fabs(formulas(p, {1, {0.5}, {}, {}, {}}, pool)[1][0] - 3)));
}

TEST_CASE("a network is judged before its first step, so that every run has a result",
          "[train][held-out]") {
  const Folder folder;

  const TrainResult result = train(poisson_run({stage("adam", 0)}), request(folder / "run"));

  CHECK(result.step == 0);
  CHECK_FALSE(result.last.has_value());
  CHECK(result.errors[0].l2 > 0.1);
  CHECK(saved_state(folder / "run").best.parameters ==
        saved_state(folder / "run").parameters.values());
}

TEST_CASE("a run closes with both networks when the last is not the result", "[train][held-out]") {
  const Folder folder;

  const TrainResult result =
      train(poisson_run({stage("ssbroyden", 100), ruin(100)}), request(folder / "run"));

  REQUIRE(result.last.has_value());
  CHECK(result.step == 100);
  CHECK(result.last->step == 200);
  CHECK(result.last->loss > result.loss);
  CHECK(result.last->errors[0].l2 > result.errors[0].l2);
  const std::string said = closing(result);
  CHECK_THAT(said, Contains("the result is the network of step 100: that of the last step, 200, "
                            "has a larger held-out residual") &&
                       Contains(fmt::format("the error {:.2e} of u", result.last->errors[0].l2)) &&
                       Contains(fmt::format("held-out residual {:.1e}", result.loss)));
  CHECK_THAT(status(folder / "run"),
             Contains("the network of step 100 (the last is of step 200), with the held-out "
                      "residual"));
  CHECK(H5Reader(folder / "run/fields.h5").text("/meta/network") ==
        which_network(saved_state(folder / "run").best, 200));
}

TEST_CASE("a second-order method is judged every ten steps, others every hundred",
          "[train][held-out]") {
  const auto judged = [](const std::string& kind) {
    const Folder folder;
    train(poisson_run({stage(kind, 25)}), request(folder / "run"));
    const LossHistory history = saved_state(folder / "run").history;
    const auto column = std::ranges::find(history.columns, "held_out") - history.columns.begin();
    std::vector<std::int64_t> steps;
    for (std::size_t i = 0; i < history.steps.size(); ++i)
      if (std::isfinite(history.values[i * history.columns.size() + std::size_t(column)]))
        steps.push_back(history.steps[i]);
    return steps;
  };
  CHECK(judged("levenberg_marquardt") == std::vector<std::int64_t>{10, 20, 25});
  CHECK(judged("ssbroyden") == std::vector<std::int64_t>{25});
}

TEST_CASE("the errors that a run tells of its result stand with the best network",
          "[train][held-out]") {
  const Folder folder;

  const TrainResult result =
      train(poisson_run({stage("ssbroyden", 100), ruin(100)}), request(folder / "run"));

  const TrainState saved = saved_state(folder / "run");
  REQUIRE(saved.best.step < saved.step);
  CHECK(saved.best.errors == std::map<std::string, double>{{"u", result.errors[0].l2}});
  CHECK(saved.best.errors.at("u") < result.last->errors[0].l2);
  CHECK_THAT(read_file(folder / "run/status.json"),
             Contains(fmt::format("\"errors\":{{\"u\":{}}}", result.errors[0].l2)));
}

TEST_CASE("a run that found its best network before it had a reference judges that anew",
          "[train][held-out]") {
  const Folder folder;
  Run run = poisson_run({stage("ssbroyden", 100), ruin(100)});
  const ReferenceOptions reference = std::exchange(run.reference, {});
  train(run, request(folder / "run"));
  CHECK(saved_state(folder / "run").best.errors.empty());

  run.reference = reference;
  const TrainResult result = train(run, request(folder / "run", true));
  REQUIRE(result.step == 100);
  CHECK(saved_state(folder / "run").best.errors.at("u") == result.errors[0].l2);

  run.reference = {};
  train(run, request(folder / "run", true));
  CHECK(saved_state(folder / "run").best.errors.empty());
}

TEST_CASE("unknowns of the result are those of the best network, and the last stand beside them",
          "[train][held-out]") {
  const Folder folder;

  const TrainResult result =
      train(inverse_run({stage("ssbroyden", 100), ruin(100)}), request(folder / "run"));

  const Checkpoint saved = newest_checkpoint(folder / "run").checkpoint.value();
  REQUIRE(result.step == saved.state.best.step);
  REQUIRE(result.step < saved.state.step);
  CHECK(result.unknowns[0].second == saved.best_unknowns.at("k"));
  CHECK(saved.unknowns.at("k") != saved.best_unknowns.at("k"));
  CHECK_THAT(status(folder / "run"),
             Contains(fmt::format("k = {:.6g}", saved.best_unknowns.at("k"))));
}

TEST_CASE("metrics, status and the history tell held-out residuals, each and the largest",
          "[train][held-out]") {
  const Folder folder;
  train(inverse_run({stage("adam", 100)}), request(folder / "run"));

  const std::string metrics = read_file(folder / "run/metrics.jsonl");
  const std::string last = metrics.substr(metrics.rfind('\n', metrics.size() - 2) + 1);
  for (const char* name : {"held_out", "held_out:poisson", "held_out:ends", "largest:poisson"})
    CHECK_THAT(last, Contains(fmt::format("\"{}\":", name)));
  const LossHistory history = saved_state(folder / "run").history;
  const double held_out = history.values[history.values.size() - history.columns.size() + 4];
  const std::string now = read_file(folder / "run/status.json");
  CHECK_THAT(now, Contains(fmt::format("\"held_out\":{},\"terms\":{{\"poisson\":", held_out)) &&
                      Contains("\"largest\":") && Contains("\"best\":{\"step\":100,"));
  CHECK_THAT(status(folder / "run"), Contains(fmt::format("held_out {:.3e}", held_out)));
}
