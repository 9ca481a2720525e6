#include "solvers/train/adapt/reweigh.h"

#include <cmath>

#include "autograd/core/error.h"
#include "solvers/points/point_sets.h"
#include "solvers/train/begin.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

Stage weighing(Stage s, const std::string& kind, long every = 9) {
  s.weighting.kind = kind;
  s.weighting.every = every;
  s.weighting.memory = 0.5;
  s.weighting.lookback = 0.5;
  return s;
}

Stage pointwise(Stage s, const std::string& kind, long every = 1) {
  s.pointwise = {.kind = kind, .every = every, .memory = 0.9, .rate = 0.05};
  return s;
}

Stage causal(Stage s, long every = 1) {
  s.causal = {.tolerance = 2, .chunks = 5, .every = every};
  return s;
}

/// A system in x and t with a start, and readings.
Run system_run(std::vector<Stage> stages) {
  auto p = problem({"x", "t"}, {"u"}, {"u_t = u_xx + x*t", "3*u_x = x^2"});
  Warnings warnings;
  Requirement start;
  start.kind = Requirement::Kind::condition;
  start.name = "start";
  start.region = parse_region({text("t = 0")}, *p);
  start.residuals.push_back(
      {"start", parse_residual(text("u = sin(x)"), Scope{*p}, warnings), 2, text("u = sin(x)")});
  p->requirements.push_back(start);
  return run_of(*p, std::move(stages));
}

/// A loss with the state that a run begins with.
struct Bench {
  explicit Bench(const Run& of)
      : run(of),
        model(std::make_shared<const Model>(std::make_shared<const Problem>(of.problem),
                                            of.networks)),
        loss(model, {}, pool),
        state(first_state(run, *model, loss.terms())) {
    state.memory.resize(1);
    for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
      loss.set_points(r, weighed_points(run, state, r));
  }
  std::span<const double> p() { return state.parameters.data<double>(); }

  Run run;
  ThreadPool pool{2};
  std::shared_ptr<const Model> model;
  Loss loss;
  TrainState state;
};

}  // namespace

// Weights of terms and points at once, redraws, a change of stage; each sitting has another number
// of threads.
TEST_CASE("a run with changing weights stopped after every step ends as one never stopped",
          "[train][weights][resume]") {
  const std::string kind = GENERATE("grad_norm", "ntk", "relobralo", "softadapt", "balance");
  const bool first_order = kind != "ntk" && kind != "balance";
  INFO(kind);
  Stage one = weighing(stage(first_order ? "adam" : "ssbroyden", 33), kind, 7);
  one = causal(pointwise(one, first_order ? "rba" : "self_adaptive", 4), 6);
  one.sampling.kind = "r3", one.sampling.every = 10, one.sampling.candidates = 100;
  Run run =
      system_run({one, weighing(stage("lbfgs", 12), kind, 5), pointwise(stage("adam", 7), "rba")});
  const Folder folder;
  train(run, request(folder / "whole"));
  CHECK(train_step_by_step(run, folder / "pieces") > 20);
  CHECK(are_same(folder / "whole", folder / "pieces"));
}

TEST_CASE("the gradients that grad_norm goes by are those of the terms", "[train][weights]") {
  Bench b(system_run({weighing(stage("adam", 1), "grad_norm", 1)}));
  b.run.stages[0].weighting.memory = 0;
  reweigh(b.run, b.state, b.loss);
  std::vector<double> lengths, gradient(b.p().size());
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> alone(3, 0);
    alone[k] = b.state.weights[k];
    b.loss.set_weights(alone);
    b.loss.value_and_gradient(b.p(), gradient);
    double square = 0;
    for (const double g : gradient) square += g * g;
    lengths.push_back(std::sqrt(square));
  }
  CHECK(lengths[1] == Approx(lengths[0]));
  CHECK(lengths[2] == Approx(lengths[0]));
}

TEST_CASE("the traces that ntk goes by are those of the Gram matrix", "[train][weights]") {
  Bench b(system_run({weighing(stage("adam", 1), "ntk", 1)}));
  b.run.stages[0].weighting.memory = 0;
  reweigh(b.run, b.state, b.loss);  // now the weighted traces are equal: w tr = sum of tr
  const std::size_t rows = b.loss.squares().rows();
  std::vector<double> gram(rows * rows), traces(3, 0);
  b.loss.squares().gram(b.p(), gram);
  for (std::size_t i = 0; i < rows; ++i) traces[i / 24] += gram[i * rows + i];
  CHECK(traces[1] == Approx(traces[0]));
  CHECK(traces[2] == Approx(traces[0]));
}

TEST_CASE("the loss is that of the changed weights", "[train][weights]") {
  Bench b(system_run({causal(pointwise(weighing(stage("adam", 9), "balance", 1), "rba"))}));
  reweigh(b.run, b.state, b.loss);
  const Loss::Result now = b.loss.value(b.p());
  Loss other(b.model, {}, b.pool);
  other.set_weights(b.state.weights);
  for (const std::size_t r : {0u, 1u})
    other.set_points(r, points_in_use(b.run, r, b.state.draws[r]));
  CHECK(other.value(b.p()).total == now.total);
  CHECK(b.state.draws[0].weights.size() == 24 * 2);  // one per residual
  CHECK(b.state.draws[1].weights.size() == 24);
}

TEST_CASE("points of an equation wait in the order of time, and those of a condition do not",
          "[train][weights]") {
  Bench b(system_run({causal(stage("adam", 9))}));
  reweigh(b.run, b.state, b.loss);
  CHECK(b.state.draws[1].weights.empty());
  const PointSet points = points_in_use(b.run, 0, b.state.draws[0]);
  REQUIRE(points.weights.size() == points.count);
  double latest = 1;
  for (std::size_t i = 0; i < points.count; ++i) {
    if (points.x[2 * i + 1] < 0.2) CHECK(points.weights[i] == 1);
    latest = std::min(latest, points.weights[i]);
    for (std::size_t k = 0; k < points.count; ++k)
      if (points.x[2 * i + 1] < points.x[2 * k + 1]) CHECK(points.weights[i] >= points.weights[k]);
  }
  CHECK(latest < 1);
}

TEST_CASE("causal weights of tolerance 0 train as none do", "[train][weights]") {
  Stage s = causal(stage("adam", 20));
  s.causal.tolerance = 0;
  CHECK(state_after(system_run({s})).parameters.values() ==
        state_after(system_run({stage("adam", 20)})).parameters.values());
}

TEST_CASE("what says adapt = false, data and weights of 0 stay as they are", "[train][weights]") {
  Run run = inverse_run({pointwise(weighing(stage("adam", 20), "grad_norm"), "rba")});
  run.problem.requirements[0].adapt = false;
  run.problem.requirements[2].residuals[0].weight = 0;
  CHECK(weighed_terms(run) == std::vector<std::size_t>{1});
  const TrainState state = state_after(run);
  CHECK(state.weights[0] == 1);
  CHECK(state.weights[1] != 2);
  CHECK(state.weights[2] == 0);
  CHECK(state.draws[0].weights.empty());
  CHECK(!state.draws[1].weights.empty());
  CHECK(state.draws[2].weights.empty());
}

TEST_CASE("a later stage keeps weights of terms, and drops those of points", "[train][weights]") {
  const TrainState state = state_after(
      system_run({pointwise(weighing(stage("adam", 20), "grad_norm"), "rba"), stage("adam", 5)}));
  CHECK(state.weights != std::vector<double>{1, 1, 2});
  for (const Draw& draw : state.draws) CHECK(draw.weights.empty());
}

TEST_CASE("the weights of terms stand in the metrics", "[train][weights]") {
  const Folder folder;
  train(system_run({weighing(stage("adam", 30), "balance")}), request(folder / "run"));
  const TrainState state = saved_state(folder / "run");
  CHECK(state.history.columns.back() == "weight:start");
  CHECK(state.history.values.back() == state.weights[2]);
  CHECK_THAT(metrics_of(folder / "run"), Contains("\"weight:start\":"));
}

TEST_CASE("weighting may come and go between sittings", "[train][weights]") {
  const Folder folder;
  const auto sitting = [&](Stage s) {
    Run run = system_run({s});
    if (!s.weighting.kind.empty()) run.effective["stage.1.weighting.kind"] = "\"balance\"";
    train(run, request(folder / "run", true));
    return saved_state(folder / "run");
  };
  CHECK(sitting(stage("adam", 10)).weights == std::vector<double>{1, 1, 2});
  const TrainState weighed =
      sitting(causal(pointwise(weighing(stage("adam", 20), "balance", 1), "rba")));
  CHECK(weighed.weights != std::vector<double>{1, 1, 2});
  const TrainState without = sitting(stage("adam", 30));
  CHECK(without.weights == std::vector<double>{1, 1, 2});
  for (const Draw& draw : without.draws) CHECK(draw.weights.empty());
  CHECK(sitting(stage("adam", 40)).step == 40);
  CHECK(sitting(weighing(stage("adam", 50), "balance", 1)).weights != without.weights);
}

TEST_CASE("points that wait are not taken for learned by heart", "[train][weights]") {
  Stage s = causal(stage("adam", 400));
  s.causal.tolerance = 1e4;
  const Folder folder;
  const TrainResult result = train(system_run({s}), request(folder / "run"));
  for (const Report& warning : result.warnings)
    CHECK_THAT(warning.what, !Contains("learned by heart"));
}
