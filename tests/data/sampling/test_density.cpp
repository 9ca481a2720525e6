#include "data/sampling/density.h"

#include <cmath>
#include <numeric>

#include "autograd/core/error.h"
#include "autograd/core/random.h"
#include "data/sampling/points.h"
#include "tests/catch.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

const std::uint64_t stream_here = stream("wall", "points");

double steep(std::span<const double> x) { return std::exp(-x[0] / 0.1) + 0.1; }

SamplingOptions by(const Density& density, int count, const std::string& method = "sobol") {
  SamplingOptions options{.count = count, .method = method};
  options.density = density;
  return options;
}

Points drawn(const Region& region, const SamplingOptions& options, std::uint64_t seed = 1) {
  return draw_points(region, options, seed, stream_here, 0);
}

/// The mean of a function of two coordinates over the points, with their weights.
template <class F> double mean(const Points& p, const F& f) {
  double sum = 0;
  for (std::size_t i = 0; i < p.count; ++i) sum += p.weights.at(i) * f(p.x[2 * i], p.x[2 * i + 1]);
  return sum / double(p.count);
}

/// Its mean over the unit square is (1 - exp(-20)) / 20 + 1 / 3.
double layer(double x, double y) { return std::exp(-20 * x) + y * y; }
const double exact = (1 - std::exp(-20.0)) / 20 + 1.0 / 3;

}  // namespace

TEST_CASE("means over points by a density are means over the region", "[data][sampling]") {
  const auto square = make_box({{0, 1}, {0, 1}});
  for (const char* method : {"uniform", "lhs", "halton", "hammersley", "sobol"}) {
    INFO(method);
    const Points p = drawn(*square, by(steep, 20'000, method));
    CHECK(p.count == 20'000);
    CHECK(mean(p, layer) == Approx(exact).epsilon(0.03));
    CHECK(std::accumulate(p.weights.begin(), p.weights.end(), 0.0) == Approx(20'000));
  }
}

TEST_CASE("points lie as densely as the density says", "[data][sampling]") {
  const Points p = drawn(*make_box({{0, 1}, {0, 1}}), by(steep, 4000));
  for (const double edge : {0.02, 0.1, 0.3}) {
    double share = 0;
    for (std::size_t i = 0; i < p.count; ++i) share += p.x[2 * i] < edge;
    const auto mass = [](double x) { return 0.1 * (1 - std::exp(-x / 0.1)) + 0.1 * x; };
    CHECK(share / 4000 == Approx(mass(edge) / mass(1)).epsilon(0.02));
  }
}

TEST_CASE("points of a sequence keep spacing under a density", "[data][sampling]") {
  const auto square = make_box({{0, 1}, {0, 1}});
  const auto spread = [&](const char* method) {
    double squares = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const double off = mean(drawn(*square, by(steep, 1000, method), seed), layer) - exact;
      squares += off * off;
    }
    return std::sqrt(squares / 40);
  };
  CHECK(spread("sobol") < 0.5 * spread("uniform"));
  CHECK(spread("halton") < 0.5 * spread("uniform"));
}

TEST_CASE("a density's points are a function of seed, name and draw", "[data][sampling]") {
  const auto square = make_box({{0, 1}, {0, 1}});
  const Points a = drawn(*square, by(steep, 300)), b = drawn(*square, by(steep, 300));
  CHECK(a.x == b.x);
  CHECK(a.weights == b.weights);
  CHECK(a.x != drawn(*square, by(steep, 300), 2).x);
  CHECK(a.x != draw_points(*square, by(steep, 300), 1, stream_here, 1).x);
}

TEST_CASE("parts of a union count by their measure and are drawn by their density",
          "[data][sampling]") {
  const auto parts = make_union({make_box({{0, 1}, {0, 1}}), make_box({{1, 2}, {0, 3}})});
  const auto second = [](std::span<const double> x) { return x[0] < 1 ? 1.0 : 5.0; };
  const Points p = drawn(*parts, by(second, 1600));
  double points = 0;
  for (std::size_t i = 0; i < p.count; ++i) points += p.x[2 * i] > 1;
  CHECK(points == 1500);
  CHECK(mean(p, [](double x, double) { return x > 1 ? 1.0 : 0.0; }) == Approx(0.75));
}

TEST_CASE("what a density hides from its probes is weighed as it is drawn", "[data][sampling]") {
  // A spike that the probes miss, or see the foot of, counts as what they saw.
  const auto spike = [](std::span<const double> x) {
    return 1 + 1000 * std::exp(-1e9 * std::pow(x[0] - 0.123456789, 2));
  };
  const Points p = drawn(*make_box({{0, 1}, {0, 1}}), by(spike, 5000));
  CHECK(mean(p, [](double x, double) { return x; }) == Approx(0.5).epsilon(0.01));
}

TEST_CASE("a grid has no density", "[data][sampling][errors]") {
  CHECK_THROWS_WITH(drawn(*make_box({{0, 1}, {0, 1}}), by(steep, 100, "grid")),
                    Contains("a grid is as dense everywhere") && Contains("another method"));
}

TEST_CASE("a density that leaves much bare is worth few points", "[data][sampling]") {
  const auto line = make_box({{0, 1}});
  const auto worth = [&](double floor) {
    return BoundedDensity([=](auto x) { return std::exp(-x[0] / 0.1) + floor; }, *line).worth();
  };
  // 1 / (mean of the density, mean of its inverse), 0.1 (1 - e^-10) and 0.1 (e^10 - 1)
  CHECK(worth(0) == Approx(100 / ((1 - std::exp(-10.0)) * (std::exp(10.0) - 1))).epsilon(0.01));
  CHECK(worth(0.1) > 0.4);
  CHECK(worth(1e6) == Approx(1));
}

TEST_CASE("points that are given are drawn by nobody", "[data][sampling]") {
  SamplingOptions options{.count = 2};
  options.given = std::make_shared<const Points>(Points{2, 2, {0.1, 0.2, 0.3, 0.4}, {}, 1});
  CHECK(drawn(*make_box({{0, 1}, {0, 1}}), options).x == options.given->x);
}
