#include "data/sampling/sequence.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "tests/catch.h"

using namespace pinn;

namespace {

using Sequence = std::function<std::vector<double>(int, int, const Random&)>;

const std::map<std::string, Sequence> all_sequences = {
    {"uniform", uniform_points},
    {"grid", grid_points},
    {"lhs", lhs_points},
    {"halton", halton_points},
    {"hammersley", hammersley_points},
    {"sobol", sobol_points},
};

Random seeded(std::uint64_t seed) { return {seed, stream("sequence", "test"), 0}; }

std::vector<double> column(const std::vector<double>& x, int dimension, int coordinate) {
  std::vector<double> c;
  for (std::size_t i = coordinate; i < x.size(); i += dimension) c.push_back(x[i]);
  return c;
}

/// The most points that one of n equal intervals holds.
int fullest(const std::vector<double>& x, std::int64_t n) {
  std::map<std::int64_t, int> boxes;
  int most = 0;
  for (double c : x) {
    std::int64_t k = static_cast<std::int64_t>(c * n);
    if (c >= static_cast<double>(k + 1) / n) ++k;  // the product was rounded
    if (c < static_cast<double>(k) / n) --k;
    most = std::max(most, ++boxes[k]);
  }
  return most;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - 0.5) * (b[i] - 0.5);
  return 12 * sum / a.size();
}

/// |mean of prod (1/2 + x_k) - 1|: the error of an integral whose value is 1.
double integration_error(const std::vector<double>& x, int dimension) {
  const std::size_t n = x.size() / dimension;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double f = 1;
    for (int k = 0; k < dimension; ++k) f *= 0.5 + x[i * dimension + k];
    sum += f / n;
  }
  return std::fabs(sum - 1);
}

}  // namespace

TEST_CASE("every sequence stays strictly inside the cube, for any count and dimension",
          "[data][sampling]") {
  for (const auto& [name, sequence] : all_sequences)
    for (int count : {1, 2, 3, 7, 64, 1000})
      for (int d = 1; d <= 6; ++d) {
        INFO(name << ", " << count << " points in " << d << " dimensions");
        const auto x = sequence(count, d, seeded(1));
        CHECK(std::all_of(x.begin(), x.end(), [](double c) { return c > 0 && c < 1; }));
        if (name != "grid") CHECK(x.size() == std::size_t(count) * d);
      }
}

TEST_CASE("every sequence is the same when drawn twice, and random ones differ when redrawn",
          "[data][sampling]") {
  for (const auto& [name, sequence] : all_sequences) {
    INFO(name);
    const Random random = seeded(2);
    const Random redrawn{random.seed, random.stream, 1};
    const auto x = sequence(100, 3, random), y = sequence(100, 3, redrawn);
    CHECK(x == sequence(100, 3, random));
    if (name == "grid") continue;
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] != y[i]);
  }
}

// Redraws are independent, so over many of them one point's coordinate fills (0, 1) evenly.
TEST_CASE("each coordinate of a random point is uniform over the redraws", "[data][sampling]") {
  for (const auto& [name, sequence] : all_sequences) {
    if (name == "grid") continue;
    if (name == "hammersley") continue;  // its first coordinate is in order
    const int draws = 2000, d = 3, count = 5;
    std::vector<std::vector<double>> boxes(d, std::vector<double>(10));
    for (int draw = 0; draw < draws; ++draw) {
      const auto x = sequence(count, d, {3, 0, static_cast<std::uint32_t>(draw)});
      for (int a = 0; a < d; ++a) ++boxes[a][static_cast<int>(10 * x[2 * d + a])];
    }
    for (int a = 0; a < d; ++a) {
      double chi2 = 0;
      for (double b : boxes[a]) chi2 += (b - draws / 10) * (b - draws / 10) / (draws / 10);
      INFO(name << ", coordinate " << a);
      CHECK(chi2 < 33.7);  // 9 degrees of freedom, probability 1e-4
    }
  }
}

TEST_CASE("a grid is the product of equal cells' centers", "[data][sampling]") {
  CHECK(grid_points(4, 1, {}) == std::vector<double>{0.125, 0.375, 0.625, 0.875});
  CHECK(grid_points(7, 2, {}) == std::vector<double>{0.5 / 3, 0.25, 0.5 / 3, 0.75, 1.5 / 3, 0.25,
                                                     1.5 / 3, 0.75, 2.5 / 3, 0.25, 2.5 / 3, 0.75});
}

TEST_CASE("a grid has at most the points asked for, as equal as possible per coordinate",
          "[data][sampling]") {
  CHECK(grid_shape(1000, 1) == std::vector<int>{1000});
  CHECK(grid_shape(1000, 2) == std::vector<int>{32, 31});
  CHECK(grid_shape(1000, 3) == std::vector<int>{10, 10, 10});
  CHECK(grid_shape(999, 3) == std::vector<int>{10, 10, 9});
  CHECK(grid_shape(3, 2) == std::vector<int>{2, 1});
  CHECK(grid_shape(63, 6) == std::vector<int>{2, 2, 2, 2, 2, 1});
  CHECK(grid_shape(2147483647, 2) == std::vector<int>{46341, 46340});
  CHECK(grid_shape(2147483647, 1) == std::vector<int>{2147483647});

  for (int d = 1; d <= 6; ++d)
    for (int count = 1; count < 300; ++count) {
      const auto shape = grid_shape(count, d);
      const auto product = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
      const auto [low, high] = std::minmax_element(shape.begin(), shape.end());
      CHECK(*high - *low <= 1);
      CHECK(product <= count);
      CHECK(product / *low * (*low + 1) > count);  // one more anywhere would be too many
    }
}

TEST_CASE("a Latin hypercube has one point in each interval of each coordinate",
          "[data][sampling]") {
  for (int count : {1, 2, 10, 997})
    for (int a = 0; a < 5; ++a)
      CHECK(fullest(column(lhs_points(count, 5, seeded(4)), 5, a), count) == 1);
}

TEST_CASE("a Halton sequence has one point in each interval of base^-m, coordinate by coordinate",
          "[data][sampling]") {
  const int bases[] = {2, 3, 5, 7, 11, 13};
  for (int a = 0; a < 6; ++a) {
    std::int64_t strata = bases[a];
    while (strata * bases[a] < 3000) strata *= bases[a];
    INFO("base " << bases[a]);
    CHECK(fullest(column(halton_points(strata, 6, seeded(5)), 6, a), strata) == 1);
  }
}

TEST_CASE("the first two Halton coordinates share out the boxes 2^-3 by 3^-2 evenly",
          "[data][sampling]") {
  const int n = 8 * 9;
  const auto x = halton_points(5 * n, 2, seeded(6));
  std::vector<int> boxes(n);
  for (std::size_t i = 0; i < x.size(); i += 2)
    ++boxes[static_cast<int>(8 * x[i]) * 9 + static_cast<int>(9 * x[i + 1])];
  CHECK(boxes == std::vector<int>(n, 5));
}

// Unscrambled, bases 101 and 103 give |correlation| > 0.9 for the first hundred points.
TEST_CASE("large Halton bases do not correlate", "[data][sampling]") {
  const int d = 32, n = 500;
  const auto x = halton_points(n, d, seeded(7));
  for (int a = 0; a < d; ++a)
    for (int b = 0; b < a; ++b) {
      INFO("coordinates " << b << " and " << a);
      CHECK(std::fabs(correlation(column(x, d, a), column(x, d, b))) < 5 / std::sqrt(n));
    }
}

TEST_CASE("Hammersley's first coordinate goes through equal intervals in order",
          "[data][sampling]") {
  const int n = 1000, d = 4;
  const auto x = hammersley_points(n, d, seeded(8));
  for (int i = 0; i < n; ++i) {
    CHECK(x[i * d] > double(i) / n);
    CHECK(x[i * d] < double(i + 1) / n);
  }
  const auto y = hammersley_points(729, d, seeded(8));
  CHECK(fullest(column(y, d, 2), 729) == 1);  // base 3
}

// Reference: scipy.stats.qmc.Sobol(161, scramble=False, bits=30) of SciPy 1.17, the point whose
// Gray code is 2^30 - 1, times 2^30: the exclusive or of all direction numbers.
TEST_CASE("the direction numbers give SciPy's point", "[data][sampling]") {
  const std::uint32_t point[sobol_dimensions] = {
      0x3fffffff, 0x15555555, 0x01001111, 0x1002ffef, 0x3001db5d, 0x001f1f1f, 0x00101c33,
      0x33c18d2f, 0x22f301df, 0x2e91d19d, 0x3644a61d, 0x3376d183, 0x32ff03ff, 0x1d7f3cd3,
      0x09cc9cfb, 0x37c23d3b, 0x1040cf3f, 0x0c71c737, 0x1d45b027, 0x03eddbb5, 0x19000e1d,
      0x1dd05ab7, 0x051c760d, 0x2e858265, 0x37748d15, 0x17b0ad7f, 0x2bc3241d, 0x363f1cbf,
      0x31702f3d, 0x02945d77, 0x1f3fa54d, 0x3a5d92b5, 0x28d9ebf5, 0x08ac5dd7, 0x1b00162f,
      0x2a706d87, 0x0de1c385, 0x13d02727, 0x2c89e759, 0x0ecec111, 0x2bb4043d, 0x35842071,
      0x0a0112c5, 0x1a190435, 0x0b0b040b, 0x32bf3c1b, 0x1f790c79, 0x10b9ec37, 0x236a4487,
      0x2ca2518f, 0x30f00fb5, 0x071b171b, 0x008656df, 0x0e8c052f, 0x222cb679, 0x37eb0c3f,
      0x3917d4db, 0x2277191f, 0x00d41d23, 0x31c59da3, 0x3ff43d75, 0x132b5417, 0x1852b493,
      0x1f444535, 0x3259cb83, 0x245f1765, 0x02f35b17, 0x040d1b15, 0x38854ff3, 0x3bd9cb31,
      0x01275ab5, 0x0cd8b419, 0x09143b1f, 0x2166c4cf, 0x182c0ecb, 0x32223449, 0x369408f1,
      0x2168cd71, 0x1b745c75, 0x36941225, 0x05050603, 0x1c621bc1, 0x02fb720b, 0x32e702ad,
      0x367e4f7f, 0x1b7178fb, 0x0535d54f, 0x153899cf, 0x2f70c079, 0x1e96728d, 0x3e340bcd,
      0x093f4b5b, 0x011b98cf, 0x24ecc1d7, 0x14799ff7, 0x0c745b33, 0x3b48de33, 0x385ec457,
      0x053703a1, 0x01dcdea1, 0x05e54c87, 0x37bd4461, 0x14cae5fd, 0x3e6503a9, 0x0297438d,
      0x2a745dc7, 0x3d55de57, 0x0560924f, 0x3145103f, 0x36e47d43, 0x3cd86621, 0x21e9516d,
      0x13670291, 0x0123c123, 0x139f1ff7, 0x0e5a2fd7, 0x340a72a1, 0x116b0029, 0x0f6dc1b3,
      0x3352d103, 0x27c4011b, 0x01ff6739, 0x3f204277, 0x381b0395, 0x191b519b, 0x14c6a475,
      0x2afd4d0f, 0x36afc28b, 0x08125317, 0x3379d393, 0x3060c117, 0x31f24281, 0x10b5fc6d,
      0x3ec795b7, 0x10aea747, 0x225b05eb, 0x29ac3e31, 0x1acdb345, 0x35df93b9, 0x012f02b1,
      0x252edfb1, 0x2f2344d3, 0x22ac7e4d, 0x1c2c07df, 0x178e424d, 0x2f94c229, 0x2df0014f,
      0x1cfbd6fb, 0x11ef76a7, 0x1c15bc1d, 0x313fc7c7, 0x35124e75, 0x3c0c8f75, 0x084701e3,
      0x0718f39b, 0x2f62401b, 0x2b44d0b9, 0x23202f91, 0x16a7adb9, 0x116e43eb, 0x2ad701fd};
  for (int a = 0; a < sobol_dimensions; ++a) {
    const auto v = sobol_directions(a);
    std::uint32_t x = 0;
    for (int k = 0; k < 30; ++k) x ^= v[k];
    CHECK(x >> 2 == point[a]);
  }
}

// Sobol' (1976): the d by d matrix of first bits is regular modulo 2, so that the first 2^d points
// have one in each of the 2^d halves of halves ... Joe and Kuo's numbers have it for d <= 1111.
TEST_CASE("the direction numbers have property A in every dimension that 2^32 points can tell",
          "[data][sampling]") {
  for (int d = 1; d <= 32; ++d) {
    std::vector<std::uint32_t> rows(d);
    for (int a = 0; a < d; ++a)
      for (int k = 0; k < d; ++k) rows[a] |= (sobol_directions(a)[k] >> 31) << k;
    int rank = 0;
    for (int k = 0; k < d; ++k) {  // elimination modulo 2
      const auto pivot =
          std::find_if(rows.begin() + rank, rows.end(), [k](auto r) { return r >> k & 1; });
      if (pivot == rows.end()) break;
      std::swap(rows[rank], *pivot);
      for (int a = rank + 1; a < d; ++a)
        if (rows[a] >> k & 1) rows[a] ^= rows[rank];
      ++rank;
    }
    CHECK(rank == d);
  }
}

TEST_CASE("2^m scrambled Sobol points have one in each interval of 2^-m, in every coordinate",
          "[data][sampling]") {
  for (int m : {0, 1, 5, 10}) {
    const auto x = sobol_points(1 << m, sobol_dimensions, seeded(9));
    for (int a = 0; a < sobol_dimensions; ++a)
      CHECK(fullest(column(x, sobol_dimensions, a), 1 << m) == 1);
  }
}

TEST_CASE("1000 scrambled Sobol points share no interval of 2^-10", "[data][sampling]") {
  for (int a = 0; a < 6; ++a)
    CHECK(fullest(column(sobol_points(1000, 6, seeded(10)), 6, a), 1024) == 1);
}

TEST_CASE("the first two scrambled Sobol coordinates are a (0, m, 2)-net", "[data][sampling]") {
  const int m = 8;
  const auto x = sobol_points(1 << m, 2, seeded(11));
  for (int k = 0; k <= m; ++k) {
    std::set<std::pair<int, int>> boxes;
    for (std::size_t i = 0; i < x.size(); i += 2)
      boxes.insert({int(std::ldexp(x[i], k)), int(std::ldexp(x[i + 1], m - k))});
    INFO("boxes 2^-" << k << " by 2^-" << m - k);
    CHECK(boxes.size() == std::size_t{1} << m);
  }
}

// Owen (1995): nested scrambling flips a bit by a coin that depends on all bits above it. A mere
// digital shift would flip the k-th bit of all points alike and leave one pattern.
TEST_CASE("the scrambling is nested, not a shift", "[data][sampling]") {
  const int n = 256;
  const auto x = sobol_points(n, 1, seeded(12));
  const auto v = sobol_directions(0);
  std::set<std::uint32_t> flips;
  for (int i = 0; i < n; ++i) {
    std::uint32_t fraction = 0;
    for (int k = 0; k < 8; ++k)
      if (i >> k & 1) fraction ^= v[k];
    flips.insert(fraction >> 24 ^ static_cast<std::uint32_t>(256 * x[i]));
  }
  CHECK(flips.size() > 20);
}

// All 161 coordinates have 25 pairs of 12 880 that are further apart from 0 with so few points: up
// to 0.4.
TEST_CASE("the first 32 coordinates of scrambled Sobol points do not correlate",
          "[data][sampling]") {
  const int n = 512, d = 32;
  const auto x = sobol_points(n, d, seeded(13));
  for (int a = 0; a < d; ++a)
    for (int b = 0; b < a; ++b)
      CHECK(std::fabs(correlation(column(x, d, a), column(x, d, b))) < 5 / std::sqrt(n));
}

// f = prod (1/2 + x_k) has the variance (13/12)^4 - 1 = 0.377, of which a Latin hypercube removes
// the additive part 4/12: an error 2.9 times smaller. Scrambled nets: about n^-3/2.
TEST_CASE("4096 points that fill space integrate a smooth function better than uniform ones",
          "[data][sampling]") {
  const int n = 4096, d = 4, draws = 20;
  const auto mean_error = [&](const Sequence& sequence) {
    double sum = 0;
    for (int k = 0; k < draws; ++k) sum += integration_error(sequence(n, d, seeded(100 + k)), d);
    return sum / draws;
  };
  const double uniform = mean_error(uniform_points);
  CHECK(mean_error(lhs_points) < uniform / 2);
  CHECK(mean_error(halton_points) < uniform / 30);
  CHECK(mean_error(hammersley_points) < uniform / 30);
  CHECK(mean_error(sobol_points) < uniform / 100);
}

TEST_CASE("the scrambled Sobol error falls by more than 1 / n", "[data][sampling]") {
  const auto mean_error = [](int n) {
    double sum = 0;
    for (int k = 0; k < 20; ++k) sum += integration_error(sobol_points(n, 3, seeded(k)), 3);
    return sum / 20;
  };
  CHECK(mean_error(4096) < mean_error(256) / 16);
}

TEST_CASE("in_stratum keeps off both ends of its interval", "[data][sampling]") {
  for (std::uint64_t n : {1ull, 3ull, 10ull, 1ull << 31})
    for (std::uint64_t k : {std::uint64_t{0}, n / 2, n - 1})
      for (double u : {0.0, 0x1p-53, 0.5, 1 - 0x1p-53, 1.0}) {
        const double x = in_stratum(k, n, u);
        CHECK(x > double(k) / n);
        CHECK(x < double(k + 1) / n);
      }
}

TEST_CASE("a permutation holds each number once, and each order comes equally often",
          "[data][sampling]") {
  std::map<std::vector<std::uint32_t>, double> orders;
  for (int draw = 0; draw < 6000; ++draw) ++orders[permutation(3, seeded(draw))];
  double chi2 = 0;
  for (const auto& [order, times] : orders) chi2 += (times - 1000) * (times - 1000) / 1000;
  CHECK(orders.size() == 6);
  CHECK(chi2 < 25.7);  // 5 degrees of freedom, probability 1e-4
}
