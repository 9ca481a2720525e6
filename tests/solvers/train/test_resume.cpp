#include <cmath>

#include "autograd/core/error.h"
#include "solvers/train/begin.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

// 120 steps hold a change of stage, judgements at 70, 100 and 120, redraws by 7 and by 11.
TEST_CASE("API-03 a run stopped after every step ends as one never stopped, to the last bit",
          "[train][resume]") {
  const std::string kind = GENERATE("adam", "lbfgs", "ssbroyden");
  const std::string second = kind == "adam" ? "float32" : "float64";
  const Run run = inverse_run({stage(kind, 70), stage(kind, 50, second)});
  const Folder folder;
  INFO(kind);

  train(run, request(folder / "whole"));
  const int sittings = train_step_by_step(run, folder / "pieces");

  CHECK(sittings > 20);
  CHECK(are_same(folder / "whole", folder / "pieces"));
}

// 26 steps hold a change of stage, redraws by 7 and by 11, and some moves by what is only
// refreshed.
TEST_CASE(
    "a run of any optimizer stopped after every step ends as one never stopped, to the last bit",
    "[train][resume]") {
  const std::string kind = GENERATE(from_range(optimizer_kinds()));
  Run run = inverse_run({stage(kind, 17), stage(kind, 9)});
  for (Stage& s : run.stages)  // of these, each kind takes what it knows
    s.optimizer.momentum = 0.5, s.optimizer.rank = 6, s.optimizer.refresh = 5;
  const Folder folder;
  INFO(kind);

  train(run, request(folder / "whole"));
  CHECK(train_step_by_step(run, folder / "pieces") == 25);
  CHECK(are_same(folder / "whole", folder / "pieces"));
}

TEST_CASE("a run with curvature in float32, stopped after every step, ends as one never stopped",
          "[train][resume]") {
  Run run = inverse_run({stage("ssbroyden", 60)});
  run.stages[0].optimizer.curvature = "float32";
  const Folder folder;
  train(run, request(folder / "whole"));
  train_step_by_step(run, folder / "pieces");
  CHECK(are_same(folder / "whole", folder / "pieces"));
}

TEST_CASE("a run goes on with the points that its checkpoint holds", "[train][resume]") {
  Run run = inverse_run({stage("adam", 20)});
  run.stages[0].sampling = {.kind = "rad", .every = 1000, .candidates = 100};
  run.sampling[0].redraw = 0;
  const Folder folder;
  for (const char* name : {"drawn", "chosen", "pieces"}) train(run, request(folder / name));
  for (const char* name : {"chosen", "pieces"}) {
    Checkpoint checkpoint = load_checkpoint(folder / (std::string(name) + "/checkpoint.h5"));
    checkpoint.state.draws[0].x = {-0.5, 0.125, 0.75};
    save_checkpoint(folder / name, checkpoint);
  }
  run.stages[0].optimizer.steps = 60;
  run.effective["stage.1.steps"] = "60";

  train(run, request(folder / "drawn", true));
  train(run, request(folder / "chosen", true));
  train_step_by_step(run, folder / "pieces");
  CHECK(are_same(folder / "chosen", folder / "pieces"));
  CHECK(saved_state(folder / "chosen").draws[0].x == std::vector<double>{-0.5, 0.125, 0.75});
  CHECK(saved_state(folder / "chosen").parameters.values() !=
        saved_state(folder / "drawn").parameters.values());
}

TEST_CASE("a stage that stops by itself does so in a resumed run, too", "[train][resume]") {
  Run run = poisson_run({stage("ssbroyden", 100), stage("lbfgs", 20)});
  run.stages[0].optimizer.tolerance = 0.1;  // met in the middle of the stage
  const Folder folder;

  train(run, request(folder / "whole"));
  const int sittings = train_step_by_step(run, folder / "pieces");

  CHECK(sittings < 119);
  CHECK(are_same(folder / "whole", folder / "pieces"));
}

TEST_CASE("a run goes on from an older checkpoint when a later one was lost", "[train][resume]") {
  Run run = inverse_run({stage("adam", 40), stage("ssbroyden", 30)});
  run.options.checkpoint.every = 9;
  const Folder folder;
  train(run, request(folder / "whole"));
  train(run, request(folder / "lost"));

  std::filesystem::remove(folder / "lost/checkpoint.h5");  // leaves the one of step 63
  CHECK(saved_state(folder / "lost").step == 63);
  train(run, request(folder / "lost", true));

  CHECK(are_same(folder / "whole", folder / "lost"));
}

TEST_CASE("resuming a finished run changes nothing", "[train][resume]") {
  const Run run = inverse_run({stage("adam", 20)});
  const Folder folder;
  const TrainResult first = train(run, request(folder / "run"));
  const TrainState before = saved_state(folder / "run");

  const TrainResult again = train(run, request(folder / "run", true));

  CHECK(identical(before, saved_state(folder / "run")));
  CHECK(again.errors == first.errors);
  CHECK(again.unknowns == first.unknowns);
}

TEST_CASE("a finished run given more steps or another stage goes on", "[train][resume]") {
  const Folder folder;
  train(inverse_run({stage("adam", 20)}), request(folder / "run"));
  train(inverse_run({stage("adam", 30)}), request(folder / "run", true));
  CHECK(saved_state(folder / "run").step == 30);
  train(inverse_run({stage("adam", 30), stage("sgd", 15)}), request(folder / "run", true));
  CHECK(saved_state(folder / "run").step == 45);

  Run whole = inverse_run({stage("adam", 30), stage("sgd", 15)});
  train(whole, request(folder / "whole"));
  CHECK(saved_state(folder / "run").parameters.values() ==
        saved_state(folder / "whole").parameters.values());
}

TEST_CASE("a reference may come and go between sittings", "[train][resume]") {
  const Folder folder;
  const auto sitting = [&](long steps, bool with_reference) {
    Run run = inverse_run({stage("adam", steps)});
    if (!with_reference) run.reference.quantities.clear();
    train(run, request(folder / "run", true));
    return saved_state(folder / "run").history;
  };
  using Columns = std::vector<std::string>;
  Columns columns = sitting(10, false).columns;
  const std::size_t most = columns.size();
  CHECK(columns.back() == "unknown:k");

  const LossHistory with = sitting(20, true);
  columns.insert(columns.end() - 1, "error:u");
  CHECK(with.columns == columns);
  REQUIRE(with.values.size() == 2 * (most + 1));
  CHECK(std::isnan(with.values[most - 1]));  // at step 10 there was none
  CHECK(with.values[most] == Approx(0.3).epsilon(0.5));
  CHECK(std::isfinite(with.values[most + 1 + most - 1]));

  const LossHistory without = sitting(30, false);
  CHECK(without.columns.size() == most);
  CHECK(without.values.size() == 3 * most);
  CHECK(without.values[most - 1] == with.values[most]);
}

TEST_CASE("a run whose physics changed is not resumed", "[train][resume][errors]") {
  Run run = inverse_run({stage("adam", 5)});
  run.effective["equation.1.residual"] = "\"u_xx = 1\"";
  const Folder folder;
  train(run, request(folder / "run"));
  run.effective["equation.1.residual"] = "\"u_xx = 2\"";

  CHECK_THROWS_AS(train(run, request(folder / "run", true)), ConfigError);
  CHECK_THROWS_WITH(train(run, request(folder / "run", true)),
                    Contains("\"u_xx = 1\" -> \"u_xx = 2\"") && Contains("checkpoint.h5") &&
                        Contains("leave --resume out"));
}

TEST_CASE("a run can start from another run's network, with other physics", "[train][resume]") {
  const Folder folder;
  train(poisson_run({stage("ssbroyden", 60)}), request(folder / "first"));
  const BestModel best = saved_state(folder / "first").best;

  Run run = inverse_run({stage("sgd", 1)});
  run.stages[0].optimizer.rate = 1e-300;  // stay
  TrainRequest from = request(folder / "second");
  from.init_from = folder / "first";
  train(run, from);

  const std::vector<double> p = saved_state(folder / "second").parameters.values();
  CHECK(std::equal(best.parameters.begin(), best.parameters.end(), p.begin()));
  CHECK(p.size() == best.parameters.size() + 1);  // the unknown keeps its start

  run.networks = {layers({7})};
  from.folder.out = folder / "third";
  CHECK_THROWS_WITH(train(run, from), Contains("other layers") && Contains("first/checkpoint.h5"));
  from.init_from = folder.path;
  CHECK_THROWS_WITH(train(run, from), Contains("holds no checkpoint"));
}

TEST_CASE("parameters are not taken for those of another function, unless by force",
          "[train][resume]") {
  const Folder folder;
  const Run trained = poisson_run({stage("adam", 20)});
  train(trained, request(folder / "first"));
  const BestModel best = saved_state(folder / "first").best;
  const auto change = [&](const std::function<void(Run&)>& of) {
    Run run = poisson_run({stage("adam", 0)});
    of(run);
    return run;
  };
  const std::vector<std::pair<Run, std::string>> others = {
      {change([](Run& r) { r.networks[0].activation = {"sin"}; }),
       "activation is sin and was tanh"},
      {change([](Run& r) { r.networks[0].kind = "resnet"; }), "kind is resnet and was mlp"},
      {change([](Run& r) { r.problem.coordinates[0].upper = 3; }), "inputs is x in [-1, 3]"}};
  TrainRequest from = request(folder / "second");
  from.init_from = folder / "first";
  for (const auto& [run, difference] : others) {
    INFO(difference);
    from.force = false;
    CHECK_THROWS_WITH(train(run, from), Contains("another function of its parameters") &&
                                            Contains(difference) && Contains("add --force"));
    from.force = from.folder.overwrite = true;
    train(run, from);
    CHECK(saved_state(folder / "second").parameters.values() == best.parameters);
  }
  from.force = false;
  CHECK_NOTHROW(train(change([](Run& r) { r.networks[0].initialization = "he_normal"; }), from));
}

TEST_CASE("Fourier features of another seed are another function", "[train][resume]") {
  const Folder folder;
  Run run = poisson_run({stage("adam", 2)});
  run.networks[0].fourier = {.features = 3, .scale = {1.0}, .seed = 1};
  train(run, request(folder / "first"));
  run.networks[0].fourier.seed = 2;
  TrainRequest from = request(folder / "second");
  from.init_from = folder / "first";
  CHECK_THROWS_WITH(train(run, from), Contains("fourier.seed is 2 and was 1"));
}

TEST_CASE("of a checkpoint that does not describe its network the run says so", "[train][resume]") {
  const Folder folder;
  const Run run = poisson_run({stage("adam", 0)});
  train(run, request(folder / "first"));
  Checkpoint older = load_checkpoint(folder / "first/checkpoint.h5");
  older.record.networks.clear();
  save_checkpoint(folder / "first", older);
  const Model model(std::make_shared<const Problem>(run.problem), run.networks);
  TrainState state = first_state(run, model, {});
  ThreadPool pool(1);
  CHECK_THAT(adopt(state, run, Windows(run, pool), folder / "first", false, {}, pool),
             Contains("of an older program: that its network is this function was not"));
}
