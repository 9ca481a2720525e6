#include "solvers/train/adapt/weights.h"

#include <cmath>
#include <numeric>

#include "tests/catch.h"

using namespace pinn;

namespace {

using Numbers = std::vector<double>;

WeightingOptions kind(const std::string& name, double memory = 0) {
  WeightingOptions options;
  options.kind = name;
  options.memory = memory;
  return options;
}

double mean(const Numbers& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / double(x.size());
}

}  // namespace

TEST_CASE("grad_norm makes the gradients of all weighted terms equally long", "[train][weights]") {
  const TermFigures terms{.weights = {1, 5, 2}, .gradients = {2, 0.5, 8}};
  const Numbers next = next_weights(kind("grad_norm"), terms, {});
  for (std::size_t i = 0; i < 3; ++i) CHECK(next[i] * terms.gradients[i] == Approx(10.5));
}

TEST_CASE("grad_norm of equal gradients makes weights equal, and leaves equal ones so",
          "[train][weights]") {
  const Numbers next =
      next_weights(kind("grad_norm", 0.9), {.weights = {3, 3}, .gradients = {0.7, 0.7}}, {});
  CHECK(next[0] == next[1]);
  CHECK(next[0] == Approx(0.9 * 3 + 0.1 * 2));
}

TEST_CASE("a term without a gradient, or without a trace, keeps its weight", "[train][weights]") {
  CHECK(next_weights(kind("grad_norm"), {.weights = {4, 1}, .gradients = {0, 2}}, {}) ==
        Numbers{4, 1});
  CHECK(next_weights(kind("ntk"), {.weights = {4, 1}, .traces = {0, 2}}, {}) == Numbers{4, 1});
}

TEST_CASE("ntk makes the traces of all weighted terms equal", "[train][weights]") {
  const TermFigures terms{.weights = {1, 1}, .traces = {2, 6}};
  CHECK(next_weights(kind("ntk"), terms, {}) == Numbers{4, 8.0 / 6});
}

TEST_CASE("relobralo and softadapt wait for losses to compare with", "[train][weights]") {
  for (const char* name : {"relobralo", "softadapt"})
    CHECK(next_weights(kind(name), {.weights = {3, 1}, .losses = {1, 2}}, {}) == Numbers{3, 1});
}

TEST_CASE("terms that fall alike get weights of 1 by relobralo and softadapt", "[train][weights]") {
  const TermFigures terms{.weights = {1, 1, 1},
                          .losses = {0.5, 5, 0.05},
                          .before = {1, 10, 0.1},
                          .first = {2, 20, 0.2}};
  for (const double w : next_weights(kind("relobralo", 0.3), terms, {})) CHECK(w == Approx(1));
  const TermFigures same{.weights = {7, 1}, .losses = {1, 2}, .before = {2, 3}, .first = {2, 3}};
  for (const double w : next_weights(kind("softadapt"), same, {})) CHECK(w == Approx(1));
}

TEST_CASE("relobralo weighs the term that fell least most, and keeps the sum", "[train][weights]") {
  WeightingOptions options = kind("relobralo", 0.5);
  options.lookback = 0;
  const TermFigures terms{
      .weights = {1, 1}, .losses = {0.9, 0.1}, .before = {1, 1}, .first = {1, 1}};
  const Numbers next = next_weights(options, terms, {});
  CHECK(next[0] > next[1]);
  CHECK(mean(next) == Approx(1));
  CHECK(next[0] == Approx(2 * std::exp(0.9) / (std::exp(0.9) + std::exp(0.1))));
  options.temperature = 0.1;
  CHECK(next_weights(options, terms, {})[0] > next[0]);
  CHECK(next_weights(options,
                     {.weights = {1, 1}, .losses = {0, 1e-300}, .before = {0, 1}, .first = {0, 1}},
                     {}) == Numbers{1, 1});  // what is solved keeps its weight
}

TEST_CASE("relobralo looks back as often as it is told to", "[train][weights]") {
  WeightingOptions options = kind("relobralo", 1);
  options.lookback = 0.8;
  const TermFigures terms{
      .weights = {1.5, 0.5}, .losses = {0.1, 0.9}, .before = {1, 1}, .first = {1, 1}};
  int kept = 0;
  for (std::uint32_t draw = 0; draw < 2000; ++draw)
    kept += next_weights(options, terms, {3, 5, draw}) == terms.weights;
  CHECK(std::fabs(kept - 1600) < 5 * std::sqrt(2000 * 0.8 * 0.2));
}

TEST_CASE("softadapt weighs terms that rise more, by beta", "[train][weights]") {
  const TermFigures terms{.weights = {1, 1}, .losses = {3, 1}, .before = {1, 3}, .first = {1, 1}};
  WeightingOptions options = kind("softadapt");
  const Numbers next = next_weights(options, terms, {});
  CHECK(next[0] / next[1] == Approx(std::exp(0.1)));
  CHECK(mean(next) == Approx(1));
  options.by_loss = true;
  const Numbers by_loss = next_weights(options, terms, {});
  CHECK(by_loss[0] / by_loss[1] == Approx(3 * std::exp(0.1)));
  CHECK(mean(by_loss) == Approx(1));
}

TEST_CASE("balance keeps the mean 1, and lifts the smaller terms", "[train][weights]") {
  TermFigures terms{.weights = {1, 1, 1}, .losses = {100, 1, 0.01}};
  for (int k = 0; k < 200; ++k) {
    terms.weights = next_weights(kind("balance"), terms, {});
    CHECK(mean(terms.weights) == Approx(1).epsilon(1e-14));
  }
  CHECK(terms.weights[0] * 100 == Approx(terms.weights[2] * 0.01).epsilon(0.01));
  CHECK(next_weights(kind("balance"), {.weights = {1, 1}, .losses = {0, 0}}, {}) == Numbers{1, 1});
}

TEST_CASE("a term that is rounding beside the others keeps its weight, and moves no other",
          "[train][weights]") {
  const Numbers weights = {1, 2, 1}, losses = {3e-2, 1e-32, 0.5}, sizes = {0.1, 1e-16, 2};
  for (const std::string& name : weighting_kinds()) {
    const TermFigures all{weights, losses, losses, losses, sizes, losses};
    const TermFigures others{{1, 1}, {3e-2, 0.5}, {3e-2, 0.5}, {3e-2, 0.5}, {0.1, 2}, {3e-2, 0.5}};
    WeightingOptions options = kind(name, 0.5);
    options.power = 0.05;
    const Numbers next = next_weights(options, all, {}),
                  without = next_weights(options, others, {});
    CHECK(next == Numbers{without[0], 2, without[1]});
  }
}
