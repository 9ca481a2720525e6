#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;

namespace {

/// The network of trajectories.py and its gradient, written by hand. `fit`: net_fit; otherwise net.
struct Net : CountedObjective {
  bool fit;
  explicit Net(bool fit) : fit(fit) {}

  static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

  double evaluate(std::span<const double> p, std::span<double> g) override {
    double loss = 0;
    for (double& slope : g) slope = 0;
    for (const auto& [x, y] : {std::pair{0.1, 0.2}, {0.3, 0.4}, {0.5, 0.6}}) {
      double hidden[3], sum = p[12];
      for (int j = 0; j < 3; ++j) {
        hidden[j] = sigmoid(p[2 * j] * x + p[2 * j + 1] * y + p[6 + j]);
        sum += p[9 + j] * hidden[j];
      }
      const double out = sigmoid(sum), error = out - x * std::sin(5 * y);
      loss += fit ? error * error : out;
      const double slope = (fit ? 2 * error : 1) * out * (1 - out);
      g[12] += slope;
      for (int j = 0; j < 3; ++j) {
        g[9 + j] += slope * hidden[j];
        const double inner = slope * p[9 + j] * hidden[j] * (1 - hidden[j]);
        g[2 * j] += inner * x;
        g[2 * j + 1] += inner * y;
        g[6 + j] += inner;
      }
    }
    return fit ? regularized(loss, p, g) : loss;
  }

  static double regularized(double loss, std::span<const double> p, std::span<double> g) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      loss += 0.01 * p[i] * p[i];
      g[i] = 1e10 * (g[i] + 0.02 * p[i]);
    }
    return 1e10 * loss;
  }
};

/// The bowl of trajectories.py.
struct Bowl : CountedObjective {
  double evaluate(std::span<const double> x, std::span<double> g) override {
    double loss = 0;
    for (double& slope : g) slope = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double c = 1e10 * std::pow(30000, double(i) / double(x.size() - 1));
      loss += c * (std::cosh(x[i]) - 1);
      g[i] += c * std::sinh(x[i]);
      if (i == 0) continue;
      const double step = x[i] - x[i - 1];
      loss += 1e10 * step * step;
      g[i] += 2e10 * step;
      g[i - 1] -= 2e10 * step;
    }
    return loss;
  }
};

struct Row {
  long moves;
  double loss;
  std::vector<double> parameters;
};

/// The lines of trajectories.txt, by case.
std::map<std::string, std::vector<Row>> reference() {
  std::ifstream file(PINN_SOURCE_DIR "/tests/solvers/optimize/trajectories.txt");
  std::map<std::string, std::vector<Row>> cases;
  for (std::string line, name; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    Row row;
    words >> name >> row.moves >> row.loss;
    for (double x; words >> x;) row.parameters.push_back(x);
    cases[name].push_back(row);
  }
  return cases;
}

Tensor net_start() {
  Tensor p = empty({13});
  for (int k = 0; k < 13; ++k) p.data<double>()[k] = 0.1 * (k + 1) * (k % 2 == 0 ? 1 : -1);
  return p;
}

/// Makes the moves of a case and compares at each of its rows: relative 1e-10, or 1e-10 of the size
/// of parameters (one), since some pass through zero; 1e-13 of the first loss where it vanishes.
void follow(const std::string& name, const OptimizerOptions& options, Objective& objective,
            Tensor p) {
  const std::vector<Row> rows = reference()[name];
  REQUIRE(rows.size() >= 8);
  const auto optimizer = make_optimizer(options, p.numel());
  OptimizerMemory memory;
  long moves = 0;
  for (const Row& row : rows) {
    for (; moves < row.moves; ++moves)
      REQUIRE(optimizer->advance(p, memory, objective).stopped == "");
    INFO(name << " after " << moves << " moves");
    CHECK(objective.value(p) == Approx(row.loss).epsilon(1e-10).margin(1e-13 * rows[0].loss));
    const std::vector<double> x = p.values();
    REQUIRE(x.size() == row.parameters.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      CHECK(x[i] == Approx(row.parameters[i]).epsilon(1e-10).margin(1e-10));
  }
}

OptimizerOptions kind(const std::string& name) {
  OptimizerOptions options;
  options.kind = name;
  options.rate = 1e-2;
  return options;
}

}  // namespace

TEST_CASE("API-04 Adam makes the moves that PyTorch's makes", "[optimize]") {
  Net net(false);
  follow("adam", kind("adam"), net, net_start());
}

TEST_CASE("API-04 AdamW makes the moves that PyTorch's makes", "[optimize]") {
  Net net(false);
  OptimizerOptions options = kind("adamw");
  options.weight_decay = 0.1;
  follow("adamw", options, net, net_start());
}

TEST_CASE("API-04 SGD with momentum makes the moves that PyTorch's makes", "[optimize]") {
  Net net(false);
  OptimizerOptions options = kind("sgd");
  options.momentum = 0.9;
  options.weight_decay = 0.01;
  follow("sgd", options, net, net_start());
}

TEST_CASE("API-04 L-BFGS fits a network in the moves that PyTorch's makes, also with few pairs",
          "[optimize]") {
  Net net(true);
  OptimizerOptions options = kind("lbfgs");
  options.history = 10;
  follow("lbfgs_net", options, net, net_start());
}

TEST_CASE("API-04 L-BFGS goes down a bowl in the moves that PyTorch's makes", "[optimize]") {
  Bowl bowl;
  follow("lbfgs_bowl", kind("lbfgs"), bowl, full({12}, 1));
}
