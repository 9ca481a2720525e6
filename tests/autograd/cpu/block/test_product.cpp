#include "autograd/cpu/block/product.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "autograd/cpu/vectors/vector.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::cpu;

namespace {

template <class T> struct Block {
  std::size_t rows, columns, stride;
  std::vector<T> numbers;

  Block(std::size_t rows, std::size_t columns, unsigned seed)
      : rows(rows), columns(columns), stride(columns + 3), numbers(rows * stride) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    for (T& v : numbers) v = T(normal(generator));
  }
  T* data() { return numbers.data(); }
  double operator()(std::size_t i, std::size_t c) const { return numbers[i * stride + c]; }
};

/// A sum of products, and what its terms' sizes sum up to: the unit of its rounding errors.
struct Sum {
  double value = 0, sizes = 0;
  void add(double term) {
    value += term;
    sizes += std::abs(term);
  }
};

template <class T> bool close(double result, const Sum& exact, std::size_t terms) {
  const double unit = std::numeric_limits<T>::epsilon();
  return std::abs(result - exact.value) <= double(terms) * unit * exact.sizes;
}

/// As many numbers as n vectors hold.
template <class T> constexpr std::size_t vectors(std::size_t n) { return n * Vec<T>::size; }

}  // namespace

TEMPLATE_TEST_CASE("a block product is the sum of products, with its bias in channel 0",
                   "[autograd][cpu]", float, double) {
  using T = TestType;
  const auto [k, n] = GENERATE(table<std::size_t, std::size_t>(
      {{1, 1}, {2, 20}, {3, 7}, {20, 20}, {64, 1}, {13, 5}, {130, 6}, {300, 17}}));
  const std::size_t points = vectors<T>(GENERATE(1, 3)), channels = GENERATE(1, 4);
  Block<T> x(k, channels * points, 1), y(n, channels * points, 2);
  const Block<T> before = y;
  const Block<T> w(k, n, 3);
  const Block<double> b(1, n, 4);
  const std::vector<T> bias(b.numbers.begin(), b.numbers.begin() + std::ptrdiff_t(n));
  std::vector<T> packed(k * n);

  pack_weights(w.numbers.data(), w.stride, 1, k, n, packed.data());
  block_product<T>({.packed = packed.data(),
                    .k = k,
                    .n = n,
                    .columns = x.columns,
                    .x = x.data(),
                    .x_stride = x.stride,
                    .y = y.data(),
                    .y_stride = y.stride,
                    .bias = bias.data(),
                    .points = points});

  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t c = 0; c < x.columns; ++c) {
      Sum sum;
      if (c < points) sum.add(bias[j]);
      for (std::size_t i = 0; i < k; ++i) sum.add(double(T(w(i, j))) * x(i, c));
      REQUIRE(close<T>(y(j, c), sum, k + 1));
    }
    for (std::size_t c = x.columns; c < x.stride; ++c) REQUIRE(y(j, c) == before(j, c));
  }
}

TEMPLATE_TEST_CASE("weights packed with swapped strides give the transposed product",
                   "[autograd][cpu]", float, double) {
  using T = TestType;
  const auto [k, n] =
      GENERATE(table<std::size_t, std::size_t>({{2, 20}, {20, 20}, {7, 150}, {64, 1}}));
  const std::size_t columns = vectors<T>(7);
  Block<T> g(n, columns, 1), x(k, columns, 2);
  const Block<T> w(k, n, 3);
  std::vector<T> packed(k * n);

  pack_weights(w.numbers.data(), 1, w.stride, n, k, packed.data());
  block_product<T>({.packed = packed.data(),
                    .k = n,
                    .n = k,
                    .columns = columns,
                    .x = g.data(),
                    .x_stride = g.stride,
                    .y = x.data(),
                    .y_stride = x.stride});

  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t c = 0; c < columns; ++c) {
      Sum sum;
      for (std::size_t j = 0; j < n; ++j) sum.add(double(T(w(i, j))) * g(j, c));
      REQUIRE(close<T>(x(i, c), sum, n + 1));
    }
}

TEMPLATE_TEST_CASE("a block's weight gradient is added to what was there", "[autograd][cpu]", float,
                   double) {
  using T = TestType;
  const auto [k, n] = GENERATE(table<std::size_t, std::size_t>({{1, 1},
                                                                {2, 20},
                                                                {20, 2},
                                                                {3, 5},
                                                                {64, 1},
                                                                {20, 20},
                                                                {33, 16},
                                                                {32, 64},
                                                                {50, 37},
                                                                {128, 50}}));
  const std::size_t columns = vectors<T>(GENERATE(1, 7, 24, 70));
  Block<T> x(k, columns, 1), g(n, columns, 2);
  const double before = 0.5;
  std::vector<double> sums(k * n + 1, before);
  std::vector<T> partial(contract_partial<T>(k, n)), scratch(contract_scratch<T>(columns));

  for (int twice = 0; twice < 2; ++twice)
    block_contract<T>({.k = k,
                       .n = n,
                       .columns = columns,
                       .x = x.data(),
                       .x_stride = x.stride,
                       .g = g.data(),
                       .g_stride = g.stride,
                       .partial = partial.data(),
                       .scratch = scratch.data()});
  move_contract(k, n, partial.data(), sums.data());
  move_contract(k, n, partial.data(), sums.data());  // finds nothing more

  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      Sum sum;
      sum.add(before);
      for (std::size_t c = 0; c < 2 * columns; ++c) sum.add(x(i, c % columns) * g(j, c % columns));
      REQUIRE(close<T>(sums[i * n + j], sum, 2 * columns));
    }
  CHECK(sums.back() == before);
}

TEMPLATE_TEST_CASE("a block's weight gradient that is moved at once has the same bits",
                   "[autograd][cpu]", float, double) {
  using T = TestType;
  const auto [k, n] = GENERATE(  // directly, interleaved, and both
      table<std::size_t, std::size_t>({{2, 20}, {20, 20}, {20, 1}, {7, 11}, {32, 64}, {50, 37}}));
  const std::size_t columns = vectors<T>(12);
  Block<T> x(k, columns, 1), g(n, columns, 2);
  std::vector<T> partial(contract_partial<T>(k, n)), scratch(contract_scratch<T>(columns));
  BlockContract<T> contract{k,        n,        columns,        x.data(),      x.stride,
                            g.data(), g.stride, partial.data(), scratch.data()};
  std::vector<double> moved(k * n, 0.5), at_once = moved;

  block_contract(contract);
  move_contract(k, n, partial.data(), moved.data());
  contract.sums = at_once.data();
  block_contract(contract);

  CHECK(at_once == moved);
  CHECK(partial == std::vector<T>(partial.size()));
}

TEMPLATE_TEST_CASE("a block's bias gradient sums the points of channel 0", "[autograd][cpu]", float,
                   double) {
  using T = TestType;
  const std::size_t n = GENERATE(1, 4, 20, 35), points = vectors<T>(GENERATE(1, 5));
  Block<T> g(n, 3 * points, 1);
  std::vector<double> sums(n + 1, 0.5);

  std::vector<T> partial(n * Vec<T>::size);
  block_column_sum(n, points, g.data(), g.stride, partial.data());
  move_column_sum(n, partial.data(), sums.data(), 1);
  move_column_sum(n, partial.data(), sums.data(), 1);  // finds nothing more

  for (std::size_t j = 0; j < n; ++j) {
    Sum sum;
    sum.add(0.5);
    for (std::size_t c = 0; c < points; ++c) sum.add(g(j, c));
    REQUIRE(close<T>(sums[j], sum, points));
  }
  CHECK(sums.back() == 0.5);
}

TEMPLATE_TEST_CASE("weights' numbers do not depend on where the arrays lie", "[autograd][cpu]",
                   float, double) {
  using T = TestType;
  const std::size_t k = 40, n = 40, columns = vectors<T>(6);
  Block<T> x(k, columns + 1, 1), g(n, columns + 1, 2);
  const auto gradient = [&](std::size_t shift) {
    std::vector<T> xs(x.numbers.size() + shift), gs = xs, scratch(contract_scratch<T>(columns) + 1);
    std::copy(x.numbers.begin(), x.numbers.end(), xs.begin() + std::ptrdiff_t(shift));
    std::copy(g.numbers.begin(), g.numbers.end(), gs.begin() + std::ptrdiff_t(shift));
    std::vector<double> sums(k * n);
    std::vector<T> partial(contract_partial<T>(k, n) + shift);
    block_contract<T>({k, n, columns, xs.data() + shift, x.stride, gs.data() + shift, g.stride,
                       partial.data() + shift, scratch.data() + shift});
    move_contract(k, n, partial.data() + shift, sums.data());
    return sums;
  };
  CHECK(gradient(0) == gradient(1));
}
