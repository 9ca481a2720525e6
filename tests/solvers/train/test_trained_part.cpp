#include "solvers/train/trained_part.h"

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"
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

/// Result of a run of these stages: the network, then the unknown.
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
  const std::string kind = GENERATE(from_range(optimizer_kinds()));
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

TEST_CASE("of the rows of the whole, a part has the columns that are trained", "[train][part]") {
  Rosenbrock whole(1, 5);
  const std::vector<std::size_t> which = {0, 2, 3};
  PartObjective objective(whole, which, from_values({0.3, -1, 0.7, 2, -0.4}, {5}));
  LeastSquares& part = *objective.least_squares();
  const std::vector<double> p = {0.9, -0.2, 1.1}, all = {0.9, -1, -0.2, 1.1, -0.4};
  const std::size_t rows = whole.rows();
  REQUIRE(part.rows() == rows);
  std::vector<double> r(rows), of_whole(rows), j(rows * 3), j_of_whole(rows * 5);
  part.residual(p, r);
  whole.residual(all, of_whole);
  CHECK(r == of_whole);
  part.jacobian_rows(p, 0, rows, j);
  whole.jacobian_rows(all, 0, rows, j_of_whole);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < 3; ++k) CHECK(j[i * 3 + k] == j_of_whole[i * 5 + which[k]]);

  std::vector<double> eaten(rows * 3), jv(rows), w(rows, 0.5), jtw(3), hv(3), k(rows * rows);
  const std::vector<double> v = {1, -2, 3};
  part.jacobian(p, 2, LeastSquares::Eater<double>([&](const JacobianRows<double>& some) {
                  for (std::size_t i = 0; i < some.count; ++i)
                    std::copy_n(some.row(i), 3, eaten.begin() + long(some.first + i) * 3);
                }));
  CHECK(eaten == j);
  part.jacobian_times(p, v, jv);
  part.transposed_times(p, w, jtw);
  part.hessian_times(p, v, hv);
  part.gram(p, k);
  double wjv = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    CHECK(jv[i] == Approx(j[i * 3] - 2 * j[i * 3 + 1] + 3 * j[i * 3 + 2]));
    wjv += w[i] * jv[i];
    for (std::size_t a = 0; a < rows; ++a) {
      const double dot =
          j[i * 3] * j[a * 3] + j[i * 3 + 1] * j[a * 3 + 1] + j[i * 3 + 2] * j[a * 3 + 2];
      CHECK(k[i * rows + a] == Approx(dot));
    }
  }
  CHECK(jtw[0] - 2 * jtw[1] + 3 * jtw[2] == Approx(wjv));
  std::vector<double> whole_hv(5);
  whole.hessian_times(all, std::vector<double>{1, 0, -2, 3, 0}, whole_hv);
  for (std::size_t i = 0; i < 3; ++i) CHECK(hv[i] == whole_hv[which[i]]);
}

TEST_CASE("a run that trains a part, stopped after every step, ends as one never stopped",
          "[train][part][resume]") {
  Run run =
      inverse_run({training("ssbroyden", 15, {"k"}), training("adam", 15, {"network"}),
                   training("levenberg_marquardt", 5, {"network"}), training("lbfgs", 10, {})});
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
