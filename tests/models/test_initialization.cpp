#include "models/parts/layers.h"

#include <cmath>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/larger.h"

using namespace pinn;
using test::larger;

namespace {

struct Moments {
  double mean = 0, variance = 0, largest = 0;
};

constexpr std::int64_t in = 300, out = 200;

Moments moments(const std::string& name) {
  const Initialization draw(name);
  const Random random{.seed = 5, .stream = 1};
  Moments m;
  const int n = in * out;
  for (int i = 0; i < n; ++i) {
    const double v = draw(random, std::uint64_t(i), in, out, false);
    m.mean += v / n;
    m.variance += v * v / n;
    m.largest = larger(m.largest, std::fabs(v));
  }
  m.variance -= m.mean * m.mean;
  return m;
}

}  // namespace

TEST_CASE("API-05 first weights have the variance of their family", "[models]") {
  const auto [family, variance] = GENERATE(table<std::string, double>(
      {{"glorot", 2.0 / (in + out)}, {"he", 2.0 / in}, {"lecun", 1.0 / in}}));
  const std::string kind = GENERATE(as<std::string>(), "normal", "uniform");
  INFO(family << "_" << kind);

  const Moments m = moments(family + "_" + kind);

  // 60 000 draws: the mean is known to 4e-3 deviations, the variance to 0.6 %; four times that.
  CHECK(std::fabs(m.mean) < 0.017 * std::sqrt(variance));
  CHECK(m.variance == Approx(variance).epsilon(0.025));
  const double bound = std::sqrt(3 * variance);
  if (kind == "uniform")
    CHECK((m.largest <= bound && m.largest > 0.999 * bound));
  else
    CHECK(m.largest > 1.5 * bound);  // 2.6 deviations: normal ones go further
}

TEST_CASE("siren draws sines with 30 radians at first, and signals of one size behind",
          "[models]") {
  const Initialization draw("siren");
  const Random random{.seed = 5, .stream = 1};
  double first = 0, deeper = 0;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    first = larger(first, std::fabs(draw(random, i, 3, out, true)));
    deeper = larger(deeper, std::fabs(draw(random, i, in, out, false)));
  }
  CHECK((first <= 10 && first > 9.99));  // 30 / 3
  CHECK((deeper <= std::sqrt(6.0 / in) && deeper > 0.999 * std::sqrt(6.0 / in)));
  CHECK(draw.spreads_biases());
  CHECK_FALSE(Initialization("he_uniform").spreads_biases());
}

TEST_CASE("every initialization that is named exists, and no other", "[models][errors]") {
  for (const std::string& name : initialization_names()) CHECK_NOTHROW(Initialization(name));
  for (const std::string name : {"xavier", "glorot", "he_gauss", "glorot_normal_", ""})
    CHECK_THROWS_WITH(
        Initialization(name),
        Catch::Contains("there is no initialization '" + name + "'") &&
            Catch::Contains("[network] initialization") &&
            Catch::Contains("use siren, or glorot, he or lecun, followed by _normal or "
                            "_uniform"));
}
