#include "autograd/cpu/tiles/amx.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "autograd/core/aligned.h"
#include "autograd/cpu/vectors/processor.h"
#include "tests/autograd/cpu/tiles/real_tiles.h"
#include "tests/catch.h"

using pinn::Aligned;
using namespace pinn::cpu;

namespace {

float number(std::uint16_t part) { return std::bit_cast<float>(std::uint32_t(part) << 16); }

/// Rows of normally distributed numbers over several orders of magnitude; a few more at their ends.
struct Rows {
  std::size_t rows, columns, stride;
  std::vector<float> numbers;

  Rows(std::size_t rows, std::size_t columns, unsigned seed)
      : rows(rows), columns(columns), stride(columns + 5), numbers(rows * stride) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    for (float& v : numbers) v = normal(generator) * std::exp(normal(generator));
  }
  double operator()(std::size_t i, std::size_t c) const { return numbers[i * stride + c]; }
};

/// Memory on a cache line, and a few numbers behind it that must stay as they are.
struct Guarded {
  explicit Guarded(std::size_t size) : memory(size + guards), size(size) {
    std::fill_n(memory.data(), size, 0.f);
    std::fill_n(memory.data() + size, guards, 7.f);
  }
  bool intact() const {
    return std::all_of(memory.data() + size, memory.data() + size + guards,
                       [](float v) { return v == 7; });
  }
  static constexpr std::size_t guards = 64;
  Aligned<float> memory;
  std::size_t size;
};

/// A sum of products of float32 numbers, and what its terms' sizes sum up to. A chain of
/// multiplications and additions of 100 terms is wrong by about 2 epsilon of that.
struct Sum {
  double value = 0, sizes = 0;
  void add(double term) {
    value += term;
    sizes += std::abs(term);
  }
  bool holds(double result) const {
    return std::abs(result - value) <= 4 * std::numeric_limits<float>::epsilon() * sizes;
  }
};

/// y = W^T x + bias in channel 0, of `points` columns.
void multiply(const Rows& w, const Rows& x, const Rows& bias, std::size_t points, Rows& y) {
  const std::size_t size = amx_packed_size(w.rows, w.columns);
  Aligned<std::uint16_t> packed(size);
  const std::vector<double> weights(w.numbers.begin(), w.numbers.end());
  amx_pack(weights.data(), w.stride, 1, w.rows, w.columns, packed.data());
  Guarded scratch(amx_product_scratch);
  const FlushDenormals mode;
  const AmxTiles tiles(true);
  amx_product({.packed = packed.data(),
               .k = w.rows,
               .n = w.columns,
               .columns = x.columns,
               .x = x.numbers.data(),
               .x_stride = x.stride,
               .y = y.numbers.data(),
               .y_stride = y.stride,
               .bias = points > 0 ? bias.numbers.data() : nullptr,
               .points = points,
               .scratch = scratch.memory.data()});
  REQUIRE(scratch.intact());
}

std::vector<double> contract(const Rows& x, const Rows& g, int times) {
  std::vector<double> sums(x.rows * g.rows, 0.5);
  Guarded partial(amx_partial(x.rows, g.rows)), scratch(amx_contract_scratch(g.rows));
  const FlushDenormals mode;
  {
    const AmxTiles tiles(true);
    for (int n = 0; n < times; ++n)
      amx_contract({.k = x.rows,
                    .n = g.rows,
                    .columns = x.columns,
                    .x = x.numbers.data(),
                    .x_stride = x.stride,
                    .g = g.numbers.data(),
                    .g_stride = g.stride,
                    .partial = partial.memory.data(),
                    .scratch = scratch.memory.data()});
  }
  amx_move(x.rows, g.rows, partial.memory.data(), sums.data());
  for (std::size_t e = 0; e < partial.size; ++e) REQUIRE(partial.memory.data()[e] == 0);
  REQUIRE((partial.intact() && scratch.intact()));
  return sums;
}

}  // namespace

TEST_CASE("three bf16 parts are exactly the number", "[autograd][cpu]") {
  std::mt19937 generator(1);
  std::vector<float> all = {0.f, 1.f, -1.f, 0.1f, 1.00390625f, 255.5f, 3.3e38f, 1.17e-30f};
  while (all.size() < 100000) {
    const float x = std::bit_cast<float>(std::uint32_t(generator()));
    if (std::fabs(x) < 3.38e38f && std::fabs(x) > 1e-30f) all.push_back(x);
  }
  for (const float x : all) {
    const Bf16Parts p = split_bf16(x);
    REQUIRE(double(number(p.part[0])) + number(p.part[1]) + number(p.part[2]) == double(x));
    REQUIRE(std::fabs(x - number(p.part[0])) <= std::fabs(x) / 256);
    REQUIRE(std::fabs(number(p.part[2])) <= std::fabs(x) / 32768);
  }
}

TEST_CASE("the parts of what is no number, and of infinity, are not all numbers",
          "[autograd][cpu]") {
  for (const float x : {NAN, -NAN, std::bit_cast<float>(0x7fffffffu), INFINITY, -INFINITY}) {
    const Bf16Parts p = split_bf16(x);
    CHECK(!std::isfinite(number(p.part[0]) + number(p.part[1]) + number(p.part[2])));
  }
}

TEST_CASE("weights are split tile by tile, and 0 fills the tiles", "[autograd][cpu]") {
  const std::size_t k = 37, n = 18;
  const Rows w(k, n, 1);
  const std::vector<double> weights(w.numbers.begin(), w.numbers.end());
  REQUIRE(amx_packed_size(k, n) == 2 * 2 * 3 * 512);
  std::vector<std::uint16_t> packed(amx_packed_size(k, n), 1), swapped(packed);
  amx_pack(weights.data(), w.stride, 1, k, n, packed.data());
  for (std::size_t j = 0; j < 32; ++j)
    for (std::size_t i = 0; i < 64; ++i) {
      const Bf16Parts parts = split_bf16(i < k && j < n ? float(w(i, j)) : 0.f);
      for (std::size_t p = 0; p < 3; ++p)
        REQUIRE(packed[((j / 16 * 2 + i / 32) * 3 + p) * 512 + j % 16 * 32 + i % 32] ==
                parts.part[p]);
    }
  const Rows t = [&] {
    Rows t(n, k, 1);
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < n; ++j) t.numbers[j * t.stride + i] = float(w(i, j));
    return t;
  }();
  const std::vector<double> transposed(t.numbers.begin(), t.numbers.end());
  amx_pack(transposed.data(), 1, t.stride, k, n, swapped.data());
  CHECK(swapped == packed);
}

TEST_CASE("a test hides the processor's tiles or shows some while it wants to", "[autograd][cpu]") {
  const bool found = amx_available();
  {
    const TilesForNow hidden(false);
    CHECK(!amx_available());
    {
      const TilesForNow shown(true);
      CHECK(amx_available());
    }
    CHECK(!amx_available());
  }
  CHECK(amx_available() == found);
}

TEST_CASE("tiles are for large products", "[autograd][cpu]") {
  for (const std::size_t width : {64, 128, 256, 512}) {
    CHECK(amx_suits_product(width, width));
    CHECK(amx_suits_contract(width, width));
  }
  CHECK(!amx_suits_product(20, 20));
  CHECK(!amx_suits_product(2, 128));
  CHECK(!amx_suits_product(128, 1));
  CHECK(!amx_suits_contract(20, 20));
  CHECK(!amx_suits_contract(2, 128));
}

TEST_CASE("a product from parts is as accurate as float32, whatever fills its tiles",
          "[autograd][cpu]") {
  if (skips(lack_of_tiles())) return;
  const auto [k, n] = GENERATE(table<std::size_t, std::size_t>(
      {{1, 1}, {2, 20}, {32, 16}, {33, 17}, {64, 64}, {100, 50}, {128, 33}, {129, 15}, {300, 47}}));
  const std::size_t points = GENERATE(4, 16, 20, 48), channels = GENERATE(1, 3);
  const Rows w(k, n, 1), x(k, channels * points, 2), bias(1, n, 3);
  Rows y(n, channels * points, 4);
  const Rows before = y;
  const bool biased = GENERATE(false, true);
  multiply(w, x, bias, biased ? points : 0, y);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t c = 0; c < x.columns; ++c) {
      Sum sum;
      if (biased && c < points) sum.add(bias(0, j));
      for (std::size_t i = 0; i < k; ++i) sum.add(w(i, j) * x(i, c));
      REQUIRE(sum.holds(y(j, c)));
    }
    for (std::size_t c = x.columns; c < x.stride; ++c) REQUIRE(y(j, c) == before(j, c));
  }
}

TEST_CASE("a sum over points from parts is as accurate as float32, whatever fills its tiles",
          "[autograd][cpu]") {
  if (skips(lack_of_tiles())) return;
  const auto [k, n] = GENERATE(table<std::size_t, std::size_t>(
      {{1, 1}, {20, 2}, {16, 16}, {33, 17}, {64, 64}, {50, 100}, {15, 33}, {128, 128}}));
  const std::size_t columns = GENERATE(4, 16, 20, 128, 132, 384);
  const Rows x(k, columns, 1), g(n, columns, 2);
  const int times = 3;
  const std::vector<double> sums = contract(x, g, times);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      Sum sum;
      for (std::size_t c = 0; c < columns; ++c) sum.add(times * x(i, c) * g(j, c));
      REQUIRE(sum.holds(sums[i * n + j] - 0.5));
    }
}

TEST_CASE("a column from parts does not depend on the columns beside it", "[autograd][cpu]") {
  if (skips(lack_of_tiles())) return;
  const Rows w(70, 40, 1), bias(1, 40, 2), x(70, 96, 3);
  Rows all(40, 96, 4), few(40, 20, 5), part(70, 20, 6);
  for (std::size_t i = 0; i < 70; ++i)
    for (std::size_t c = 0; c < 20; ++c) part.numbers[i * part.stride + c] = float(x(i, c + 52));
  multiply(w, x, bias, 0, all);
  multiply(w, part, bias, 0, few);
  for (std::size_t j = 0; j < 40; ++j)
    for (std::size_t c = 0; c < 20; ++c) REQUIRE(few(j, c) == all(j, c + 52));
}

TEST_CASE("what is no number stays so from parts, in its column alone", "[autograd][cpu]") {
  if (skips(lack_of_tiles())) return;
  const float bad = GENERATE(NAN, -NAN, std::bit_cast<float>(0x7fffffffu), INFINITY);
  const Rows w(64, 64, 1), bias(1, 64, 2);
  Rows x(64, 32, 3), y(64, 32, 4), g(64, 32, 5);
  x.numbers[9 * x.stride + 11] = bad;
  multiply(w, x, bias, 32, y);
  for (std::size_t j = 0; j < 64; ++j)
    for (std::size_t c = 0; c < 32; ++c) REQUIRE(std::isfinite(y(j, c)) == (c != 11));
  const std::vector<double> sums = contract(x, g, 1);
  for (std::size_t e = 0; e < sums.size(); ++e) REQUIRE(std::isfinite(sums[e]) == (e / 64 != 9));
}
