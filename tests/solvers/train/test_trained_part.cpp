#include "solvers/train/run/trained_part.h"

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

Stage training(const std::string& kind, long steps, std::vector<std::string> names) {
  Stage s = stage(kind, steps);
  s.optimizer.weight_decay = kind == "adamw" ? 0.1 : 0;
  s.train = std::move(names);
  return s;
}

/// What a run of these stages ends with: the network, then the unknown.
std::vector<double> trained(std::vector<Stage> stages) {
  const Folder folder;
  train(inverse_run(std::move(stages)), request(folder / "run"));
  return saved_state(folder / "run").parameters.values();
}

std::vector<double> network_of(std::vector<double> p) {
  p.pop_back();
  return p;
}

}  // namespace

TEST_CASE("what a stage does not train stays as it is, bit for bit", "[train][part]") {
  const std::string kind = GENERATE("adam", "adamw", "sgd", "lbfgs", "ssbroyden");
  INFO(kind);
  const std::vector<double> start = trained({stage(kind, 0)});

  const std::vector<double> only_k = trained({training(kind, 12, {"k"})});
  CHECK(network_of(only_k) == network_of(start));
  CHECK(only_k.back() != start.back());

  const std::vector<double> only_network = trained({training(kind, 12, {"network"})});
  CHECK(network_of(only_network) != network_of(start));
  CHECK(only_network.back() == start.back());
}

TEST_CASE("a stage that names all trains as one that names nothing", "[train][part]") {
  CHECK(trained({training("ssbroyden", 12, {"network", "k"})}) ==
        trained({stage("ssbroyden", 12)}));
}

TEST_CASE("the part that is trained follows the gradient of the whole", "[train][part]") {
  struct Bowl : Objective {
    double value(const Tensor& p) override {
      const auto x = p.data<double>();
      return x[0] * x[0] + 10 * x[1] * x[2];
    }
    double value_and_gradient(const Tensor& p, Tensor& g) override {
      const auto x = p.data<double>();
      g.data<double>()[0] = 2 * x[0], g.data<double>()[1] = 10 * x[2];
      g.data<double>()[2] = 10 * x[1];
      return value(p);
    }
  } bowl;
  const Tensor whole = from_values({1, 2, 3}, {3});
  PartObjective part(bowl, {0, 2}, whole);
  Tensor gradient = from_values({0, 0}, {2});

  CHECK(part.part_of(whole).values() == std::vector<double>{1, 3});
  CHECK(part.value_and_gradient(from_values({5, 7}, {2}), gradient) == 25 + 10 * 2 * 7);
  CHECK(gradient.values() == std::vector<double>{10, 20});
  Tensor back = from_values({1, 2, 3}, {3});
  part.put(from_values({5, 7}, {2}), back);
  CHECK(back.values() == std::vector<double>{5, 2, 7});
}

TEST_CASE("a run that trains a part, stopped after every step, ends as one never stopped",
          "[train][part][resume]") {
  Run run = inverse_run({training("ssbroyden", 15, {"k"}), training("adam", 15, {"network"}),
                         training("lbfgs", 10, {})});
  const Folder folder;
  train(run, request(folder / "whole"));

  CHECK(train_step_by_step(run, folder / "pieces") > 10);
  CHECK(are_same(folder / "whole", folder / "pieces"));
}

TEST_CASE("what a stage trains is not changed under its optimizer", "[train][part][errors]") {
  const Folder folder;
  Run run = inverse_run({training("adam", 5, {"k"})});
  run.effective["stage.1.train"] = "[\"k\"]";
  train(run, request(folder / "run"));

  run.effective.erase("stage.1.train");
  run.stages[0].train.clear();
  run.stages[0].optimizer.steps = 9;
  run.effective["stage.1.steps"] = "9";
  CHECK_THROWS_WITH(train(run, request(folder / "run", true)), Contains("stage.1.train"));
}
