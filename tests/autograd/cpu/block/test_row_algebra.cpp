#include "autograd/cpu/block/row_algebra.h"

#include <list>
#include <random>

#include "autograd/cpu/vectors/vector.h"
#include "tests/catch.h"
#include "tests/larger.h"

using namespace pinn;
using pinn::test::larger;

namespace {

/// Random numbers as lanes, and as they are.
template <class T> struct Lanes {
  Lanes(std::size_t count, std::size_t rows, std::mt19937& generator)
      : room((rows + Vec<T>::size - 1) / Vec<T>::size * Vec<T>::size), numbers(count * room) {
    std::normal_distribution<double> normal;
    for (T& x : numbers) x = T(normal(generator));
    for (std::size_t e = 0; e < count; ++e) all.push_back(numbers.data() + e * room);
  }
  double operator()(std::size_t e, std::size_t row) const { return numbers[e * room + row]; }

  std::size_t room;
  std::vector<T> numbers;
  std::vector<const void*> all;
};

/// Factors of rows, and these rows multiplied out one number at a time.
template <class T> struct Case {
  Case(std::size_t rows, std::size_t width, unsigned seed)
      : rows(rows), width(width), exact(rows * width), generator(seed) {}

  Case& products(std::size_t offset, std::size_t channels, std::size_t k, std::size_t n) {
    const Lanes<T>&x = lanes.emplace_back(channels * k, rows, generator),
          &g = lanes.emplace_back(channels * n, rows, generator);
    factors.push_back({std::int64_t(offset), channels, k, n, x.all.data(), g.all.data()});
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t a = 0; a < k; ++a)
        for (std::size_t b = 0; b < n; ++b)
          for (std::size_t c = 0; c < channels; ++c)
            exact[i * width + offset + a * n + b] += x(c * k + a, i) * g(c * n + b, i);
    return *this;
  }
  Case& elements(std::size_t offset, std::size_t k) {
    const Lanes<T>& x = lanes.emplace_back(k, rows, generator);
    factors.push_back({std::int64_t(offset), 1, k, 0, x.all.data(), nullptr});
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t a = 0; a < k; ++a) exact[i * width + offset + a] += x(a, i);
    return *this;
  }

  /// Rows first ... in number type To, a few at a time; what lies between them stays 7.
  template <class To> std::vector<To> written(std::size_t first, std::size_t few) const {
    const std::size_t stride = width + 3;
    std::vector<To> out((rows - first) * stride, To(7));
    const auto writer = cpu::make_row_writer<To>();
    writer->take(dtype_of<T>, factors);
    for (std::size_t i = first; i < rows; i += few)
      writer->write(i, std::min(few, rows - i), width, out.data() + (i - first) * stride, stride);
    return out;
  }
  /// The largest difference of such rows from the exact ones.
  template <class To> double error(std::size_t first, std::size_t few) const {
    const std::vector<To> out = written<To>(first, few);
    double error = 0;
    for (std::size_t i = first; i < rows; ++i)
      for (std::size_t j = 0; j < width + 3; ++j) {
        const double wanted = j < width ? exact[i * width + j] : 7;
        error = larger(error, std::abs(double(out[(i - first) * (width + 3) + j]) - wanted));
      }
    return error;
  }
  double product(std::size_t i, const Case& other, std::size_t j) const {
    double sum = 0;
    for (std::size_t e = 0; e < width; ++e)
      sum += exact[i * width + e] * other.exact[j * width + e];
    return sum;
  }

  std::size_t rows, width;
  std::vector<double> exact;
  std::vector<RowFactor> factors;
  std::list<Lanes<T>> lanes;
  std::mt19937 generator;
};

/// Error limit of sums of some tens of products of normal numbers.
template <class T> constexpr double limit = sizeof(T) == 4 ? 1e-4 : 1e-13;

}  // namespace

TEMPLATE_TEST_CASE("rows are the sums over channels of their factors' outer products",
                   "[autograd][cpu]", float, double) {
  const auto [k, n] = GENERATE(table<std::size_t, std::size_t>(
      {{1, 1}, {64, 1}, {1, 64}, {2, 33}, {5, 3}, {20, 20}, {7, 130}, {3, 256}}));
  const std::size_t channels = GENERATE(1, 2, 3, 4, 5, 6, 7, 13);
  Case<TestType> c(37, k * n, unsigned(channels));
  c.products(0, channels, k, n);
  CHECK(c.template error<TestType>(0, 37) < limit<TestType>);
  CHECK(c.template error<double>(5, 3) < 1e-13);
  CHECK(c.template error<float>(11, 40) < limit<float>);
}

TEMPLATE_TEST_CASE("factors of one parameter block are added, and rows are 0 where there are none",
                   "[autograd][cpu]", float, double) {
  Case<TestType> c(21, 100, 1);
  c.products(4, 3, 5, 9).elements(60, 33).products(4, 1, 5, 9).elements(4, 45).elements(60, 33);
  CHECK(c.template error<TestType>(2, 4) < limit<TestType>);
  CHECK(Case<TestType>(3, 10, 1).template error<TestType>(0, 3) == 0);
}

TEMPLATE_TEST_CASE("the Gram matrix made of factors holds the products of their rows",
                   "[autograd][cpu]", float, double) {
  using T = TestType;
  // A wide layer stays in factors, others are multiplied out; the blocks at 8000 differ in kind.
  const std::size_t width = 8400, all = cpu::make_gram(dtype_of<T>, {})->tile_rows();
  std::list<Case<T>> tiles;
  tiles.emplace_back(all, width, 1).products(0, 2, 80, 100).products(8000, 1, 10, 20);
  tiles.emplace_back(all, width, 2).products(0, 1, 80, 100).products(0, 2, 80, 100);
  tiles.emplace_back(all / 3, width, 3).products(0, 3, 80, 100).elements(8000, 200);
  tiles.emplace_back(1, width, 4).products(8200, 2, 7, 1).elements(8207, 1);

  std::vector<std::vector<RowFactor>> layouts;
  std::vector<std::size_t> first;
  std::size_t rows = 0;
  for (const Case<T>& c : tiles) {
    layouts.push_back(c.factors);
    first.push_back(rows);
    rows += c.rows;
  }
  const auto gram = cpu::make_gram(dtype_of<T>, layouts);
  gram->resize(tiles.size());
  std::size_t t = 0;
  for (const Case<T>& c : tiles) gram->put(t++, c.factors, 0, c.rows);
  std::vector<double> k(rows * rows);
  for (std::size_t a = 0; a < tiles.size(); ++a)
    for (std::size_t b = a; b < tiles.size(); ++b)
      gram->multiply(a, b, &k[first[a] * rows + first[b]], &k[first[b] * rows + first[a]], rows);

  double error = 0, largest = 0;
  std::size_t a = 0;
  for (const Case<T>& left : tiles) {
    std::size_t b = 0;
    for (const Case<T>& right : tiles) {
      for (std::size_t i = 0; i < left.rows; ++i)
        for (std::size_t j = 0; j < right.rows; ++j) {
          const double exact = left.product(i, right, j);
          largest = larger(largest, std::abs(exact));
          error = larger(error, std::abs(k[(first[a] + i) * rows + first[b] + j] - exact));
        }
      ++b;
    }
    ++a;
  }
  CHECK(error < 0.1 * limit<T> * largest);
}

TEST_CASE("the Gram matrix takes rows from the middle of a block", "[autograd][cpu]") {
  Case<double> c(40, 8200, 1);
  c.products(0, 2, 80, 100).products(8000, 2, 2, 100);
  const auto gram = cpu::make_gram(DType::float64, std::vector<std::vector<RowFactor>>{c.factors});
  gram->resize(1);
  gram->put(0, c.factors, 16, 40);
  std::vector<double> k(24 * 24);
  gram->multiply(0, 0, k.data(), k.data(), 24);
  for (std::size_t i = 0; i < 24; ++i)
    for (std::size_t j = 0; j < 24; ++j)
      CHECK(k[i * 24 + j] == Approx(c.product(16 + i, c, 16 + j)).margin(1e-9));
  // Both factors' products, channel by channel, and the small block's elements; of half the pairs.
  CHECK(gram->flops(0, 0) == 24 * 24 / 2 * 2 * (4 * (80 + 100) + 200));
}
