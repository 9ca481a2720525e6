#include <cmath>
#include <numbers>

#include "solvers/optimize/methods/first_order.h"
#include "solvers/optimize/schedule.h"
#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;

TEST_CASE("API-01 clipping keeps the direction and bounds the length", "[optimize]") {
  Tensor g = from_values({3, -4}, {2});
  clip(g, 1);
  CHECK(g.values()[0] == Approx(0.6).epsilon(1e-15));
  CHECK(g.values()[1] == Approx(-0.8).epsilon(1e-15));
}

TEST_CASE("API-01 clipping leaves a gradient within the bound alone", "[optimize]") {
  Tensor g = from_values({3, -4}, {2});
  clip(g, 5);
  CHECK(g.values() == std::vector<double>{3, -4});
}

TEST_CASE("API-01 clipping measures lengths whose squares leave the range of numbers",
          "[optimize]") {
  for (const double size : {1e200, 1e308 / 4}) {
    Tensor g = from_values({3 * size, -4 * size, 0}, {3});
    clip(g, 2);
    CHECK(g.values()[0] == Approx(1.2).epsilon(1e-15));
    CHECK(g.values()[1] == Approx(-1.6).epsilon(1e-15));
    CHECK(g.values()[2] == 0);
  }
}

TEST_CASE("API-01 clipping leaves zeros and what is too small to square alone", "[optimize]") {
  const std::vector<double> small = {0, -0.0, 1e-200, -5e-324};
  Tensor g = from_values(small, {4});
  clip(g, 1e-100);
  CHECK(g.values() == small);
}

TEST_CASE("a clipped move of SGD is as long as rate times clip", "[optimize]") {
  OptimizerOptions options;
  options.kind = "sgd";
  options.rate = 0.1;
  options.clip = 2;
  Quadratic quadratic(100);
  Tensor p = full({5}, 10);
  OptimizerMemory memory;
  make_optimizer(options, 5)->advance(p, memory, quadratic);
  double squares = 0;
  for (const double x : p.values()) squares += (x - 10) * (x - 10);
  CHECK(std::sqrt(squares) == Approx(0.2).epsilon(1e-13));
}

TEST_CASE("AdamW without decay is Adam", "[optimize]") {
  Tensor adam = full({4}, -1), adamw = full({4}, -1);
  for (auto [kind, p] : {std::pair{"adam", &adam}, {"adamw", &adamw}}) {
    OptimizerOptions options;
    options.kind = kind;
    Rosenbrock rosenbrock;
    OptimizerMemory memory;
    for (int i = 0; i < 10; ++i) make_optimizer(options, 4)->advance(*p, memory, rosenbrock);
  }
  CHECK(adam.values() == adamw.values());
}

TEST_CASE("a move says which step size its schedule gave", "[optimize]") {
  for (const char* kind : {"adam", "adamw", "sgd"}) {
    OptimizerOptions options;
    options.kind = kind;
    options.rate = 0.5;
    options.schedule = {"step", 0, 0.1, 2, 0};
    Quadratic quadratic(2);
    Tensor p = full({3}, 1);
    OptimizerMemory memory;
    const auto optimizer = make_optimizer(options, 3);
    for (const double rate : {0.5, 0.5, 0.05, 0.05, 0.005})
      CHECK(optimizer->advance(p, memory, quadratic).rate == Approx(rate).epsilon(1e-15));
  }
}

namespace {

OptimizerOptions scheduled(const ScheduleOptions& schedule) {
  OptimizerOptions options;
  options.rate = 2;
  options.steps = 100;
  options.schedule = schedule;
  return options;
}

}  // namespace

TEST_CASE("a constant schedule stays", "[optimize]") {
  const OptimizerOptions o = scheduled({});
  for (const long k : {0L, 1L, 99L, 1000000L}) CHECK(scheduled_rate(o, k) == 2);
}

TEST_CASE("an exponential schedule falls by its factor every so many moves, smoothly",
          "[optimize]") {
  const OptimizerOptions o = scheduled({"exponential", 0, 0.25, 10, 0});
  CHECK(scheduled_rate(o, 0) == 2);
  CHECK(scheduled_rate(o, 5) == Approx(1).epsilon(1e-15));
  CHECK(scheduled_rate(o, 10) == Approx(0.5).epsilon(1e-15));
  CHECK(scheduled_rate(o, 20) == Approx(0.125).epsilon(1e-15));
}

TEST_CASE("a step schedule falls by its factor at once", "[optimize]") {
  const OptimizerOptions o = scheduled({"step", 0, 0.25, 10, 0});
  CHECK(scheduled_rate(o, 9) == 2);
  CHECK(scheduled_rate(o, 10) == 0.5);
  CHECK(scheduled_rate(o, 19) == 0.5);
  CHECK(scheduled_rate(o, 20) == 0.125);
}

TEST_CASE("an inverse-time schedule falls like one over the moves", "[optimize]") {
  const OptimizerOptions o = scheduled({"inverse_time", 0, 0.5, 10, 0});
  CHECK(scheduled_rate(o, 0) == 2);
  CHECK(scheduled_rate(o, 20) == Approx(1).epsilon(1e-15));
  CHECK(scheduled_rate(o, 60) == Approx(0.5).epsilon(1e-15));
}

TEST_CASE("a cosine schedule falls to its final fraction at the end of the stage and stays",
          "[optimize]") {
  const OptimizerOptions o = scheduled({"cosine", 0, 0.9, 1000, 0.1});
  CHECK(scheduled_rate(o, 0) == 2);
  CHECK(scheduled_rate(o, 50) == Approx(1.1).epsilon(1e-15));
  CHECK(scheduled_rate(o, 25) == Approx(2 * (0.1 + 0.45 * (1 + std::numbers::sqrt2 / 2))));
  CHECK(scheduled_rate(o, 100) == Approx(0.2).epsilon(1e-15));
  CHECK(scheduled_rate(o, 200) == Approx(0.2).epsilon(1e-15));
}

TEST_CASE("a warm-up grows linearly to the full rate, then any schedule starts", "[optimize]") {
  for (const std::string& kind : schedule_kinds()) {
    const OptimizerOptions warm = scheduled({kind, 20, 0.5, 10, 0.1});
    OptimizerOptions cold = scheduled({kind, 0, 0.5, 10, 0.1});
    cold.steps = 80;
    INFO(kind);
    CHECK(scheduled_rate(warm, 0) == Approx(0.1).epsilon(1e-15));
    CHECK(scheduled_rate(warm, 9) == Approx(1).epsilon(1e-15));
    CHECK(scheduled_rate(warm, 19) == 2);
    for (const long k : {0L, 7L, 40L, 80L})
      CHECK(scheduled_rate(warm, 20 + k) == scheduled_rate(cold, k));
  }
}
