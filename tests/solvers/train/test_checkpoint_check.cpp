#include "solvers/records/checkpoints/checkpoint.h"

#include <functional>
#include <limits>

#include "autograd/core/error.h"
#include "solvers/train/begin.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A run that was trained, and what its checkpoint holds.
struct Trained {
  explicit Trained(const std::string& second)
      : run(inverse_run({stage("adam", 20), stage(second, 15)})),
        model(std::make_shared<const Problem>(run.problem), run.networks) {
    train(run, request(folder / "run"));
    checkpoint = load();
    for (const Requirement& r : run.problem.requirements)
      for (const Residual& residual : r.residuals)
        terms.push_back({residual.name, residual.weight});
  }

  Checkpoint load() const { return newest_checkpoint(folder / "run").checkpoint.value(); }

  /// Refusal of the checkpoint after a change.
  std::string refusal(const std::function<void(Checkpoint&)>& change) const {
    Checkpoint changed = load();
    change(changed);
    try {
      require_sense(changed, "some.h5");
      require_fit(changed, run, model, terms, "some.h5");
    } catch (const FileError& error) {
      CHECK(error.report.where == "some.h5");
      return error.report.what;
    }
    return "";
  }

  Folder folder;
  Run run;
  Model model;
  Checkpoint checkpoint;
  std::vector<LossTerm> terms;
};

}  // namespace

TEST_CASE("a checkpoint is refused for every count and size that is not the problem's",
          "[train][checkpoint][errors]") {
  const Trained trained("adam");
  const auto refused = [&](const std::function<void(TrainState&)>& change) {
    return trained.refusal([&](Checkpoint& c) { change(c.state); });
  };
  REQUIRE(refused([](TrainState&) {}) == "");

  CHECK_THAT(refused([](TrainState& s) {
               s.parameters = from_values({1, 2}, {2});
             }),
             Contains("best parameters where 2 belong"));
  CHECK_THAT(refused([](TrainState& s) { s.best.parameters.pop_back(); }),
             Contains("best parameters"));
  CHECK_THAT(refused([](TrainState& s) { s.parameters.data<double>()[0] = not_a_number; }),
             Contains("'parameters' has a number that is not finite"));
  CHECK_THAT(refused([](TrainState& s) { s.best.residual = not_a_number; }),
             Contains("no residual"));
  CHECK_THAT(refused([](TrainState& s) { s.best.step = s.step + 1; }), Contains("'best/step' is"));
  CHECK_THAT(refused([](TrainState& s) { s.best.errors["u"] = INFINITY; }),
             Contains("'u' of the best network is infinite"));
  CHECK_THAT(refused([](TrainState& s) { s.step = -1; }), Contains("'step' is -1"));
  CHECK_THAT(refused([](TrainState& s) { s.stage = 3; }), Contains("'stage' is 3"));
  CHECK_THAT(refused([](TrainState& s) { s.stage_step = s.step + 1; }), Contains("'stage_step'"));
  CHECK_THAT(refused([](TrainState& s) { s.steps_without_better = -1; }),
             Contains("'steps_without_better' is -1"));
  CHECK_THAT(refused([](TrainState& s) { s.seconds = not_a_number; }),
             Contains("'seconds' is no time"));
  CHECK_THAT(refused([](TrainState& s) { s.weights.push_back(1); }), Contains("weights where"));
  CHECK_THAT(refused([](TrainState& s) { s.weights[0] = 17; }),
             Contains("not that of the problem"));
  CHECK_THAT(refused([](TrainState& s) { s.draws.pop_back(); }), Contains("draws of points"));
  CHECK_THAT(refused([](TrainState& s) { s.draws[0].concentration = 1.5; }), Contains("no share"));
  CHECK_THAT(refused([](TrainState& s) { s.weights[0] = -1; }), Contains("a weight is negative"));
  CHECK_THAT(refused([](TrainState& s) { s.weighting.changes = s.step + 2; }),
             Contains("'weighting/changes' is"));
  CHECK_THAT(refused([](TrainState& s) { s.weighting.first = {1}; }),
             Contains("'weighting/first' and no 'weighting/before'"));
  CHECK_THAT(refused([](TrainState& s) { s.weighting.first = s.weighting.before = {1}; }),
             Contains("losses that its weights follow"));
  CHECK_THAT(refused([](TrainState& s) {
               s.weighting.points[0].factors = {1, 1};
             }),
             Contains("not as long as they are"));
  CHECK_THAT(refused([](TrainState& s) {
               s.weighting.points[0].first = {1, 1};
             }),
             Contains("not as long as they are"));
  CHECK_THAT(refused([](TrainState& s) { s.weighting.causal[1] = {not_a_number}; }),
             Contains("'weighting of points' has a number that is not finite"));
  CHECK_THAT(refused([](TrainState& s) { s.draws[0].count += 1; }), Contains("was not at step"));
  CHECK_THAT(refused([](TrainState& s) { s.draws[2].count = 1; }), Contains("was not at step"));
  CHECK_THAT(refused([](TrainState& s) { s.draws[0].normals = {0.5}; }),
             Contains("'points/1/normals' and no 'points/1/x'"));
  CHECK_THAT(refused([](TrainState& s) {
               s.draws[0].x = {0.5, 0.25, 0.125};
               s.draws[0].weights = {1, 1};
             }),
             Contains("weights of the points"));
  CHECK_THAT(refused([](TrainState& s) {
               s.draws[0].weights = {1, 1};
             }),
             Contains("weights of the points"));
  CHECK_THAT(refused([](TrainState& s) {
               s.draws[1].x = {-1, 1};
             }),
             Contains("of another problem"));  // a boundary without normals
  CHECK_THAT(refused([](TrainState& s) { s.memory.resize(7); }), Contains("number of optimizers"));
  CHECK_THAT(refused([](TrainState& s) { s.memory.clear(); }), Contains("no 'optimizer'"));
  CHECK_THAT(refused([](TrainState& s) { s.memory[0].numbers["extra"] = 1; }),
             Contains("something of stage 1, which is done"));
  CHECK_THAT(refused([](TrainState& s) { s.memory[1].moves = s.stage_step + 1; }),
             Contains("'moves' is"));
  CHECK_THAT(refused([](TrainState& s) { s.memory[1].tensors.erase("first"); }),
             Contains("it has 2 tensors after 15 moves"));
  CHECK_THAT(
      refused([](TrainState& s) { s.memory[1].tensors["second"] = from_values({1.0}, {1}); }),
      Contains("its 'second' is [1], not ["));
  CHECK_THAT(refused([](TrainState& s) { s.history.columns[2] = s.history.columns[1]; }),
             Contains("different names of history columns"));
  CHECK_THAT(refused([](TrainState& s) { s.history.columns[1] = "other"; }),
             Contains("not those of the problem"));
  CHECK_THAT(refused([](TrainState& s) { s.history.columns[1] = "\x1b[31m"; }),
             Contains("control characters"));
  CHECK_THAT(refused([](TrainState& s) { s.history.values.pop_back(); }),
             Contains("values of its history"));
  CHECK_THAT(refused([](TrainState& s) { s.history.steps[1] = s.history.steps[0]; }),
             Contains("'history/step' is"));
  CHECK_THAT(refused([](TrainState& s) { s.history.values[1] = not_a_number; }),
             Contains("'history/values' has a number that is not finite"));
  CHECK_THAT(trained.refusal([](Checkpoint& c) { c.unknowns["k"] = not_a_number; }),
             Contains("unknowns"));
}

TEST_CASE("a checkpoint is refused whose parts disagree in what there is yet",
          "[train][checkpoint][errors]") {
  const Trained trained("adam");
  const auto refused = [&](const std::function<void(Checkpoint&)>& change) {
    return trained.refusal([&](Checkpoint& c) {
      c.state.best = {};
      c.best_unknowns = {};
      change(c);
    });
  };
  constexpr double number = 0.5;
  REQUIRE(refused([](Checkpoint&) {}) == "");

  CHECK(refused([](Checkpoint& c) { c.state.best.smallest = number; }) ==
        "the checkpoint is damaged: it has 'best/smallest' and no 'best/parameters'");
  CHECK_THAT(refused([](Checkpoint& c) { c.state.best.residual = not_a_number; }),
             Contains("'best/residual' and no"));
  CHECK_THAT(refused([](Checkpoint& c) { c.state.best.step = 0; }), Contains("'best/step' and no"));
  CHECK_THAT(refused([](Checkpoint& c) { c.state.best.smallest_step = 0; }),
             Contains("'best/smallest_step' and no"));
  CHECK_THAT(refused([](Checkpoint& c) { c.state.best.errors["u"] = number; }),
             Contains("'best/errors' and no"));
  CHECK_THAT(refused([](Checkpoint& c) { c.best_unknowns["k"] = number; }),
             Contains("'best/unknowns' and no"));
  CHECK_THAT(refused([&](Checkpoint& c) {
               c.state.best.parameters = trained.checkpoint.state.best.parameters;
             }),
             Contains("'best/parameters' and no"));
  CHECK_THAT(refused([](Checkpoint& c) { c.state.weighting.first = c.state.weights; }),
             Contains("'weighting/first' and no"));
  CHECK_THAT(refused([](Checkpoint& c) { c.state.draws[0].normals = {number}; }),
             Contains("'points/1/normals' and no"));
  CHECK_THAT(refused([](Checkpoint& c) { c.state.memory.clear(); }),
             Contains("'stage_step' and no 'optimizer'"));
}

TEST_CASE("a checkpoint is refused for names without end", "[train][checkpoint][errors]") {
  const Trained trained("adam");
  CHECK_THAT(trained.refusal(
                 [](Checkpoint& c) { c.state.history.columns.back() = std::string(200'000, 'x'); }),
             Contains("a name in it has 200000 bytes"));
}

TEST_CASE("a checkpoint is refused for curvature that no quasi-Newton method can have",
          "[train][checkpoint][errors]") {
  const Trained lbfgs("lbfgs"), broyden("ssbroyden");
  using Memory = OptimizerMemory;
  const auto refused = [](const Trained& trained, const std::function<void(Memory&)>& change) {
    return trained.refusal([&](Checkpoint& c) { change(c.state.memory[1]); });
  };
  REQUIRE(refused(lbfgs, [](Memory&) {}) == "");
  REQUIRE(refused(broyden, [](Memory&) {}) == "");
  REQUIRE(lbfgs.checkpoint.state.memory[1].numbers.at("pairs") >= 1);
  REQUIRE(broyden.checkpoint.state.memory[1].tensors.count("direction") == 1);

  for (const char* name : {"pairs", "newest"})
    for (const double bad : {-1.0, 0.5, 1e300, not_a_number})
      CHECK_THAT(refused(lbfgs, [&](Memory& m) { m.numbers[name] = bad; }),
                 Contains("is no number of a row"));
  CHECK_THAT(refused(lbfgs, [](Memory& m) { m.numbers.erase("newest"); }),
             Contains("lacks a part of its pairs"));
  CHECK_THAT(refused(lbfgs, [](Memory& m) { m.tensors.erase("changes"); }),
             Contains("lacks a part of its pairs"));
  CHECK_THAT(refused(lbfgs,
                     [](Memory& m) {
                       m.tensors["steps"] = from_values({1, 2}, {2});
                     }),
             Contains("are no rows"));
  CHECK_THAT(refused(lbfgs,
                     [](Memory& m) {
                       m.tensors["changes"] = from_values({1, 2}, {1, 2});
                     }),
             Contains("its 'changes' is [1, 2], not [5, "));
  CHECK_THAT(refused(lbfgs, [](Memory& m) { m.tensors.erase("gradient"); }),
             Contains("one of 'gradient' and 'value'"));
  CHECK_THAT(refused(broyden, [](Memory& m) { m.numbers.erase("previous_value"); }),
             Contains("'direction' without what that came from"));
  CHECK_THAT(refused(broyden,
                     [](Memory& m) {
                       m.tensors["inverse_hessian"] = from_values({1, 2}, {2});
                     }),
             Contains("its 'inverse_hessian' is [2], not ["));
  CHECK_THAT(refused(broyden, [](Memory& m) { m.tensors["other"] = from_values({1.0}, {1}); }),
             Contains("it has a tensor 'other'"));
  CHECK_THAT(refused(broyden, [](Memory& m) { m.numbers["checked"] = 1e9; }),
             Contains("'checked' is no number of a move"));
}

TEST_CASE("an error beyond all numbers spoils no checkpoint", "[train][checkpoint]") {
  auto p = problem({"x"}, {"u"}, {"1e-200*u = sin(pi*x)"});
  Warnings warnings;
  p->outputs[0] = parse_expression(text("1e200*N"), Scope{*p, Scope::Use::output}, warnings);
  Run run = run_of(*p, {stage("adam", 20)});
  run.reference.quantities = {exact("u", "sin(pi*x)", run.problem)};
  const Folder folder;
  train(run, request(folder / "run"));
  const LossHistory history = saved_state(folder / "run").history;
  const auto error = std::ranges::find(history.columns, "error:u");
  REQUIRE(error != history.columns.end());
  CHECK(std::isnan(history.values[std::size_t(error - history.columns.begin())]));
}

TEST_CASE("a checkpoint is refused whose network is not among its parameters",
          "[train][checkpoint][errors]") {
  const Trained trained("adam");
  const auto with = [&](std::int64_t offset, const Shape& shape) {
    return trained.refusal([&](Checkpoint& c) { c.blocks.back() = {"W9", shape, offset}; });
  };
  const std::int64_t count = trained.checkpoint.state.parameters.numel();
  constexpr std::int64_t large = std::int64_t(1) << 40;

  CHECK(with(0, {count}) == "");
  for (const auto& [offset, shape] : {std::pair<std::int64_t, Shape>{1, {count}},
                                      {count + 1, {0}},
                                      {-1, {1}},
                                      {0, {large, large}},
                                      {large, {1}}})
    CHECK_THAT(with(offset, shape), Contains("'W9' is not among its parameters"));
}
