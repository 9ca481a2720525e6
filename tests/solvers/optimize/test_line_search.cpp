#include <cmath>

#include "autograd/core/random.h"
#include "solvers/optimize/methods/line_search.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

using Function = std::function<Trial(double)>;

/// A smooth function of one number with several minima that grows at both ends, going down at 0.
Function hills(std::uint64_t seed) {
  const Random random{seed, stream("hills", "test")};
  const auto rough = [=](double t) {
    Trial trial{t, 0.05 * t * t, 0.1 * t, {}};
    for (std::uint64_t k = 0; k < 5; ++k) {
      const double a = random.normal(2 * k), w = 3 * random.uniform(2 * k + 1);
      const double phase = 6 * random.uniform(2 * k + 1, 1);
      trial.value += a * std::cos(w * t + phase);
      trial.slope -= a * w * std::sin(w * t + phase);
    }
    return trial;
  };
  const double sign = rough(0).slope < 0 ? 1 : -1;
  return [=](double t) {
    Trial trial = rough(sign * t);
    return Trial{t, trial.value, sign * trial.slope, {}};
  };
}

}  // namespace

TEST_CASE("a step the search accepts satisfies both Wolfe conditions", "[optimize]") {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Function f = hills(seed);
    const Trial start = f(0);
    const double first = std::pow(10, double(seed % 7) - 3);  // 0.001 to 1000
    const WolfeResult found = wolfe_search(f, start, first);
    INFO("seed " << seed << ", first step " << first);
    REQUIRE(found.satisfied);
    CHECK(found.trial.value <= start.value + 1e-4 * found.trial.step * start.slope);
    CHECK(std::abs(found.trial.slope) <= 0.9 * std::abs(start.slope));
    CHECK(found.evaluations <= 26);
  }
}

TEST_CASE("a first step that satisfies the conditions costs one evaluation", "[optimize]") {
  const Function parabola = [](double t) { return Trial{t, (t - 1) * (t - 1), 2 * (t - 1), {}}; };
  const WolfeResult found = wolfe_search(parabola, parabola(0), 1);
  CHECK(found.satisfied);
  CHECK(found.trial.step == 1);
  CHECK(found.evaluations == 1);
}

TEST_CASE("the search steps back from where the function is not finite", "[optimize]") {
  // -2t - log(1 - t): least at t = 1/2, without a value from t = 1 on.
  const Function f = [](double t) {
    return Trial{t, -2 * t - std::log(1 - t), -2 + 1 / (1 - t), {}};
  };
  for (const double first : {1.0, 10.0, 1000.0}) {
    const WolfeResult found = wolfe_search(f, f(0), first);
    CHECK(found.satisfied);
    CHECK(found.trial.step > 0);
    CHECK(found.trial.step < 1);
  }
}

TEST_CASE("a search that finds nothing lower stays at the start", "[optimize]") {
  const Function wrong_slope = [](double t) { return Trial{t, t, -1, {}}; };
  const WolfeResult found = wolfe_search(wrong_slope, wrong_slope(0), 1);
  CHECK_FALSE(found.satisfied);
  CHECK(found.trial.step == 0);
  CHECK(found.evaluations <= 26);
}

TEST_CASE("the search gives up when the bracket is narrower than its resolution", "[optimize]") {
  const Function wrong_slope = [](double t) { return Trial{t, t, -1, {}}; };
  WolfeOptions options;
  options.resolution = 0.2;
  const WolfeResult found = wolfe_search(wrong_slope, wrong_slope(0), 1, options);
  CHECK(found.trial.step == 0);
  CHECK(found.evaluations < 10);
}

TEST_CASE("the zoom finds the foot of a steep wall", "[optimize]") {
  // Down with slope -1 to t = 0.5, then up with slope 999: cubics alone creep along one end.
  const Function wall = [](double t) {
    const double z = (t - 0.5) / 0.01;
    return Trial{t, -t + 10 * std::log1p(std::exp(z)), -1 + 1000 / (1 + std::exp(-z)), {}};
  };
  const WolfeResult found = wolfe_search(wall, wall(0), 1);
  CHECK(found.satisfied);
  CHECK(found.trial.step > 0.4);
  CHECK(found.evaluations <= 15);
}
