#include "autograd/core/random.h"

#include <cmath>
#include <set>
#include <vector>

#include "tests/catch.h"

using namespace pinn;

namespace {

using Words = std::array<std::uint32_t, 4>;

struct Moments {
  double mean = 0, variance = 0, skewness = 0, kurtosis = 0;
};

template <class Draw> Moments moments(std::size_t n, Draw draw) {
  Moments m;
  for (std::size_t i = 0; i < n; ++i) m.mean += draw(i) / n;
  for (std::size_t i = 0; i < n; ++i) {
    const double d = draw(i) - m.mean;
    m.variance += d * d / n;
    m.skewness += d * d * d / n;
    m.kurtosis += d * d * d * d / n;
  }
  m.skewness /= std::pow(m.variance, 1.5);
  m.kurtosis /= m.variance * m.variance;
  return m;
}

/// Correlation of two sequences of uniform numbers.
template <class A, class B> double correlation(std::size_t n, A a, B b) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += (a(i) - 0.5) * (b(i) - 0.5);
  return 12 * sum / n;
}

}  // namespace

// The three "philox4x32 10" lines of tests/kat_vectors in Random123 1.14
// (https://github.com/DEShawResearch/random123): counter, key, result.
TEST_CASE("the bits are those of Random123's known answers", "[autograd][core][random]") {
  CHECK(Random{0, 0, 0}.bits(0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const std::uint64_t ones = ~std::uint64_t{0};
  CHECK(Random{ones, ones, 0}.bits(ones) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  const Random pi{0x299f31d0a4093822, 0x0370734413198a2e, 0};
  CHECK(pi.bits(0x85a308d3243f6a88) == Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a draw is the high word of the key", "[autograd][core][random]") {
  CHECK(Random{5, 9, 3}.bits(1) == Random{5 | std::uint64_t{3} << 32, 9, 0}.bits(1));
}

TEST_CASE("seed, stream, draw, index and part each change the number", "[autograd][core][random]") {
  const std::set<double> all = {
      Random{1, 2, 3}.uniform(4),          Random{9, 2, 3}.uniform(4),
      Random{1, 9, 3}.uniform(4),          Random{1, 2, 9}.uniform(4),
      Random{1, 2, 3}.uniform(9),          Random{1, 2, 3}.uniform(4, 1),
      Random{1, 2, 3}.child(0).uniform(4), Random{1, 2, 3}.child(1).uniform(4)};
  CHECK(all.size() == 8);
}

TEST_CASE("numbers do not depend on the order they are asked in", "[autograd][core][random]") {
  const Random random{7, stream("order", "test"), 0};
  std::vector<double> up(100), down(100);

  for (int i = 0; i < 100; ++i) up[i] = random.normal(i);
  for (int i = 99; i >= 0; --i) down[i] = random.normal(i);

  CHECK(up == down);
}

// With n = 100 000 independent numbers a mean strays by about its deviation / sqrt(n); five of
// these are allowed, a chance of 6e-7 for each check had the seed not been fixed.
TEST_CASE("uniform numbers have the moments of (0, 1)", "[autograd][core][random]") {
  const Random random{1, stream("moments", "test"), 0};
  const int n = 100000;
  for (int part : {0, 1}) {
    const Moments m = moments(n, [&](std::size_t i) { return random.uniform(i, part); });
    CHECK(std::fabs(m.mean - 0.5) < 5 * std::sqrt(1.0 / 12 / n));
    CHECK(std::fabs(m.variance - 1.0 / 12) < 5 * std::sqrt(1.0 / 180 / n));
  }
}

TEST_CASE("uniform numbers fill sixteen boxes evenly", "[autograd][core][random]") {
  const Random random{2, stream("boxes", "test"), 0};
  std::vector<double> boxes(16);
  for (int i = 0; i < 16000; ++i) ++boxes[static_cast<int>(16 * random.uniform(i))];
  double chi2 = 0;
  for (double b : boxes) chi2 += (b - 1000) * (b - 1000) / 1000;
  CHECK(chi2 < 44.3);  // 15 degrees of freedom, probability 1e-4
}

TEST_CASE("normal numbers have mean 0, variance 1, skewness 0 and kurtosis 3",
          "[autograd][core][random]") {
  const Random random{1, stream("normal", "test"), 0};
  const int n = 100000;
  const Moments m = moments(n, [&](std::size_t i) { return random.normal(i); });
  CHECK(std::fabs(m.mean) < 5 * std::sqrt(1.0 / n));
  CHECK(std::fabs(m.variance - 1) < 5 * std::sqrt(2.0 / n));
  CHECK(std::fabs(m.skewness) < 5 * std::sqrt(6.0 / n));
  CHECK(std::fabs(m.kurtosis - 3) < 5 * std::sqrt(24.0 / n));
}

TEST_CASE("parts, neighbors, draws, streams and children do not correlate",
          "[autograd][core][random]") {
  const int n = 20000;
  const double bound = 5 / std::sqrt(n);
  const Random r{3, stream("a", "points"), 0};
  const auto first = [&](std::size_t i) { return r.uniform(i); };
  const auto against = [&](const Random& other) {
    return std::fabs(correlation(n, first, [&](std::size_t i) { return other.uniform(i); }));
  };

  CHECK(std::fabs(correlation(n, first, [&](std::size_t i) { return r.uniform(i, 1); })) < bound);
  CHECK(std::fabs(correlation(n, first, [&](std::size_t i) { return r.uniform(i + 1); })) < bound);
  CHECK(against({3, r.stream, 1}) < bound);
  CHECK(against({4, r.stream, 0}) < bound);
  CHECK(against({3, stream("b", "points"), 0}) < bound);
  CHECK(against(r.child(0)) < bound);
  CHECK(against(r.child(1)) < bound);
}

// Reference: Newton's method on erfc in 60-digit arithmetic, at the double nearest to the p
// written. 4e-16 is about two units in the last place.
TEST_CASE("the normal quantile is right to the last digits, in all three of its ranges",
          "[autograd][core][random]") {
  const double table[][2] = {
      {1e-300, -37.047096299361199237},     {0x1p-53, -8.2095361516013868556},
      {1e-20, -9.2623400897984075796},      {1e-5, -4.2648907939228246102},
      {0.01, -2.3263478740408410931},       {0.074, -1.4466320671589785099},
      {0.076, -1.4325027208258116188},      {0.3, -0.52440051270804081597},
      {0.9, 1.2815515655446005935},         {0.924, 1.43250272082581191},
      {0.926, 1.446632067158978807},        {0.999, 3.0902323061678132778},
      {1 - 0x1p-53, 8.2095361516013868556},
  };
  for (const auto& [p, z] : table) {
    INFO("p = " << p);
    CHECK(std::fabs(normal_quantile(p) / z - 1) < 4e-16);
  }
  CHECK(normal_quantile(0.5) == 0);
}

TEST_CASE("the normal quantile is odd about one half", "[autograd][core][random]") {
  for (int k = 1; k < 512; ++k)
    CHECK(normal_quantile(k / 1024.0) == -normal_quantile(1 - k / 1024.0));
}

TEST_CASE("the numbers of one seed are these on every machine", "[autograd][core][random]") {
  const Random random{20240229, stream("initial", "points"), 2};
  CHECK(random.uniform(0) == 0.60388596622760826);
  CHECK(random.uniform(1000000007, 1) == 0.074040362401301629);
  CHECK(random.normal(0) == 0.26341845523555518);
  CHECK(random.normal(21) == -2.0934325132128655);  // in the tail, through the logarithm
  CHECK(random.child(3).stream == 900515408495731477u);
}

// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/; values from ten lines of Python.
TEST_CASE("the hash of a stream is FNV-1a of name, zero byte, purpose",
          "[autograd][core][random]") {
  CHECK(stream("", "") == 0xaf63bd4c8601b7df);
  CHECK(stream("a", "points") == 0xe0d3a99b58e5e02b);
  CHECK(stream("", "points") == 0x59c248902c08604c);
  CHECK(stream("initial", "points") == 0x3651f4f096e6b472);
  CHECK(stream("ab", "c") != stream("a", "bc"));
}
