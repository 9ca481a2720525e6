#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;

namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

/// x^2 / 2, summed; not a number from `wall` on, and after `patience` evaluations.
struct Walled : CountedObjective {
  double wall = 2;
  long patience = 1000;
  double evaluate(std::span<const double> x, std::span<double> g) override {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      g[i] = x[i];
      sum += 0.5 * x[i] * x[i];
      if (std::abs(x[i]) >= wall) sum = undefined;
    }
    return evaluations > patience ? undefined : sum;
  }
};

/// A gradient with the wrong sign, or one that is infinite.
struct Wrong : CountedObjective {
  double factor;
  explicit Wrong(double factor) : factor(factor) {}
  double evaluate(std::span<const double> x, std::span<double> g) override {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      g[i] = factor * x[i];
      sum += 0.5 * x[i] * x[i];
    }
    return sum;
  }
};

struct Run {
  Tensor p;
  Move last;
  OptimizerMemory memory;
};

/// Advances until it stops, at most 1000 moves.
Run run(const OptimizerOptions& options, Objective& objective, const Tensor& start) {
  Run r{start, {}, {}};
  const auto optimizer = make_optimizer(options, r.p.numel());
  for (int i = 0; i < 1000 && r.last.stopped.empty(); ++i)
    r.last = optimizer->advance(r.p, r.memory, objective);
  return r;
}

OptimizerOptions of_kind(const std::string& name) {
  OptimizerOptions options;
  options.kind = name;
  return options;
}

bool begins(const std::string& text, const std::string& start) { return text.starts_with(start); }

}  // namespace

TEST_CASE("a loss that is not finite at the start stops every optimizer where it stands",
          "[optimize]") {
  for (const std::string& name : optimizer_kinds()) {
    Walled walled;
    const Run r = run(of_kind(name), walled, full({3}, 2));
    INFO(name);
    CHECK(r.last.stopped == "loss is not finite (nan)");
    CHECK(r.p.values() == std::vector<double>{2, 2, 2});
    CHECK(r.memory.moves == 0);
  }
}

TEST_CASE("API-01 a gradient that is not finite stops every optimizer", "[optimize]") {
  for (const std::string& name : optimizer_kinds()) {
    Wrong wrong(std::numeric_limits<double>::infinity());
    INFO(name);
    CHECK(run(of_kind(name), wrong, full({3}, 1)).last.stopped == "gradient is not finite");
  }
}

TEST_CASE("one component of the gradient that is no number stops a move, wherever it stands",
          "[optimize]") {
  struct Spoiled : CountedObjective {
    std::size_t at = 0;
    double evaluate(std::span<const double> x, std::span<double> g) override {
      for (std::size_t i = 0; i < x.size(); ++i) g[i] = i == at ? undefined : x[i];
      return 1;
    }
  };
  for (const std::int64_t size : {1, 7, 43})  // less than a vector, and many with a rest
    for (std::int64_t at = 0; at < size; ++at) {
      Spoiled spoiled;
      spoiled.at = std::size_t(at);
      INFO(at << " of " << size);
      CHECK(run(of_kind("adam"), spoiled, full({size}, 1)).last.stopped ==
            "gradient is not finite");
    }
}

TEST_CASE("a first-order method that stepped out of bounds goes back to the last finite point",
          "[optimize]") {
  for (const char* name : {"adam", "adamw", "sgd", "muon", "soap"}) {
    OptimizerOptions options = of_kind(name);
    options.rate = 5;  // the first move leads from 1 to -4, beyond the wall
    Walled walled;
    const Run r = run(options, walled, full({3}, 1));
    INFO(name);
    CHECK(r.last.stopped == "loss is not finite (nan)");
    CHECK(r.p.values() == std::vector<double>{1, 1, 1});
  }
}

TEST_CASE("a line search keeps inside the region where the loss is finite", "[optimize]") {
  for (const char* name : {"lbfgs", "ssbroyden"}) {
    Walled walled;
    const Run r = run(of_kind(name), walled, full({3}, 1.99));
    INFO(name);
    CHECK(r.last.stopped == "gradient is zero");
    for (const double x : r.p.values()) CHECK(x == 0);
  }
}

TEST_CASE("a loss that is nowhere finite any more stops a quasi-Newton method at its last point",
          "[optimize]") {
  for (const char* name : {"lbfgs", "ssbroyden"}) {
    Rosenbrock rosenbrock;
    struct Failing : CountedObjective {
      Rosenbrock& inner;
      explicit Failing(Rosenbrock& inner) : inner(inner) {}
      double evaluate(std::span<const double> x, std::span<double> g) override {
        const double value = inner.evaluate(x, g);
        return evaluations > 10 ? undefined : value;
      }
    } failing(rosenbrock);
    const Run r = run(of_kind(name), failing, full({4}, -1));
    INFO(name << ": " << r.last.stopped);
    CHECK(begins(r.last.stopped, "line search failed along the steepest descent"));
    CHECK(rosenbrock.value(r.p) == r.last.loss);
  }
}

TEST_CASE("a gradient of the wrong sign ends in a failed line search, and says so", "[optimize]") {
  for (const char* name : {"lbfgs", "ssbroyden"}) {
    Wrong wrong(-1);
    const Run r = run(of_kind(name), wrong, full({3}, 1));
    INFO(name);
    CHECK(begins(r.last.stopped,
                 "line search failed along the steepest descent: no lower loss than 1.5"));
    CHECK(r.p.values() == std::vector<double>{1, 1, 1});
  }
}

TEST_CASE("a gradient below the tolerance stops every optimizer", "[optimize]") {
  for (const std::string& name : optimizer_kinds()) {
    OptimizerOptions options = of_kind(name);
    options.rate = 0.05;
    options.tolerance = 0.01;
    Quadratic quadratic(2, 3);
    const Run r = run(options, quadratic, full({3}, 1));
    INFO(name << ": " << r.last.stopped);
    CHECK(begins(r.last.stopped, "gradient below tolerance: largest component "));
    CHECK(r.last.stopped.ends_with(" < 0.01"));
    for (const double x : r.p.values()) CHECK(std::abs(x) < 0.01);
  }
}

TEST_CASE("a gradient of zero stops every optimizer", "[optimize]") {
  for (const std::string& name : optimizer_kinds()) {
    Quadratic quadratic(2, 3);
    INFO(name);
    CHECK(run(of_kind(name), quadratic, zeros({3})).last.stopped == "gradient is zero");
  }
}

TEST_CASE("a loss at the rounding of its evaluation stops the search, near the minimum",
          "[optimize]") {
  struct Raised : Rosenbrock {
    double evaluate(std::span<const double> x, std::span<double> g) override {
      return 1 + Rosenbrock::evaluate(x, g);
    }
  };
  for (const char* name : {"lbfgs", "ssbroyden"}) {
    Raised raised;
    const Run r = run(of_kind(name), raised, full({6}, -1));
    INFO(name << " after " << r.memory.moves << " moves: " << r.last.stopped);
    CHECK(begins(r.last.stopped, "line search failed along the steepest descent"));
    // The loss rises by 1e-16 at a distance of 1e-8 from the minimum.
    for (const double x : r.p.values()) CHECK(x == Approx(1).epsilon(1e-6));
  }
}
