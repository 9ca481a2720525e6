#include "solvers/train/adapt/weights.h"

#include <cmath>

#include "tests/catch.h"

using namespace pinn;

namespace {

using Numbers = std::vector<double>;

PointFactors changed(const PointwiseOptions& options, const Numbers& r, std::size_t terms,
                     int times) {
  PointFactors memory;
  memory.start(r.size());
  for (int k = 0; k < times; ++k) change_factors(options, r, terms, memory);
  return memory;
}

PointwiseOptions rba() { return {.kind = "rba", .every = 1, .memory = 0.9, .rate = 0.2}; }
PointwiseOptions ascent() { return {.kind = "self_adaptive", .every = 1, .rate = 0.01}; }

}  // namespace

TEST_CASE("rba of a residual of one size weighs all points alike", "[train][weights]") {
  for (const double f : changed(rba(), {0.3, -0.3, 0.3}, 1, 7).factors)
    CHECK(f == changed(rba(), {5.0}, 1, 7).factors[0]);
}

TEST_CASE("rba tends to rate / (1 - memory) times the residual's share of the largest",
          "[train][weights]") {
  const Numbers factors = changed(rba(), {1, -4, 0, 2}, 1, 400).factors;
  const Numbers expected = {0.5, 2, 0, 1};
  for (std::size_t i = 0; i < 4; ++i) CHECK(factors[i] == Approx(expected[i]).margin(1e-12));
}

TEST_CASE("rba compares points within each residual of a system", "[train][weights]") {
  const Numbers both = changed(rba(), {1, 50, 2, 100, 4, 25}, 2, 5).factors;
  const Numbers first = changed(rba(), {1, 2, 4}, 1, 5).factors;
  const Numbers second = changed(rba(), {50, 100, 25}, 1, 5).factors;
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(both[2 * i] == first[i]);
    CHECK(both[2 * i + 1] == second[i]);
  }
}

TEST_CASE("rba of a residual of 0 forgets", "[train][weights]") {
  CHECK(changed(rba(), {0, 0}, 1, 2).factors == Numbers{0.9 * 0.9, 0.9 * 0.9});
}

TEST_CASE(
    "self-adaptive factors climb, by no more than their rate, and not where the residual is 0",
    "[train][weights]") {
  const PointFactors memory = changed(ascent(), {1e-3, 0, 30}, 1, 10);
  CHECK(memory.factors[0] == Approx(1.1).epsilon(0.01));
  CHECK(memory.factors[1] == 1);
  CHECK(memory.factors[2] == Approx(1.1).epsilon(0.01));
  CHECK(memory.moves == 10);
}

TEST_CASE("causal weights of tolerance 0 are all 1", "[train][weights]") {
  const CausalOptions options{.tolerance = 0, .chunks = 4};
  CHECK(causal_weights(options, Numbers{0, 0.3, 0.6, 1}, Numbers{1e9, 5, 0, 1}) ==
        Numbers{1, 1, 1, 1});
}

TEST_CASE("a chunk of time waits for the means of all before it", "[train][weights]") {
  const CausalOptions options{.tolerance = 0.5, .chunks = 4};
  const Numbers w =
      causal_weights(options, Numbers{1.0, 0.1, 0.2, 0.3, 0.8}, Numbers{9, 2, 4, 1, 7});
  CHECK(w[1] == 1);
  CHECK(w[2] == 1);
  CHECK(w[3] == std::exp(-0.5 * 3));
  CHECK(w[0] == std::exp(-0.5 * 4));  // nothing is known of the third chunk: no point is in it
  CHECK(w[4] == w[0]);
}

TEST_CASE("causal weights never rise with time, and are 1 once the residual is 0",
          "[train][weights]") {
  Numbers time, squares;
  for (int i = 0; i < 300; ++i) {
    time.push_back((i + 0.5) / 300);
    squares.push_back(0.1 + 0.1 * std::sin(double(i)));
  }
  const Numbers w = causal_weights({.tolerance = 3, .chunks = 17}, time, squares);
  CHECK(w.front() == 1);
  CHECK(std::is_sorted(w.rbegin(), w.rend()));
  CHECK(w.back() < 0.05);
  CHECK(causal_weights({.tolerance = 3, .chunks = 17}, time, Numbers(300, 0.0)) ==
        Numbers(300, 1.0));
}

TEST_CASE("self-adaptive factors do not know how large residuals are", "[train][weights]") {
  const Numbers large = {3, 1, 0.2}, small = {3e-7, 1e-7, 0.2e-7};
  const Numbers a = changed(ascent(), large, 1, 50).factors,
                b = changed(ascent(), small, 1, 50).factors;
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).epsilon(1e-9));
  CHECK(changed(ascent(), {0, 0, 0}, 1, 3).factors == Numbers{1, 1, 1});
}
