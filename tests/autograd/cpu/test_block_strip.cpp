#include "autograd/cpu/block_strip.h"

#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "autograd/cpu/block_denormals.h"
#include "autograd/cpu/elementwise.h"
#include "autograd/cpu/unary.h"
#include "autograd/cpu/vector.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::cpu;

namespace {

constexpr double p = 2.5;  // the exponent of power

template <class T> std::vector<T> numbers(std::size_t n, unsigned seed, double from, double to) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> value(from, to);
  std::vector<T> v(n);
  for (T& x : v) x = T(value(generator));
  return v;
}

/// One op on rows a, b, c of any length.
template <class T>
std::vector<T> apply(StripKernel<T> kernel, double parameter, std::vector<T> a, std::vector<T> b,
                     std::vector<T> c) {
  std::vector<T> y(a.size());
  const StripOperand<T> operands[] = {
      {y.data(), 0, 1}, {a.data(), 0, 1}, {b.data(), 0, 1}, {c.data(), 0, 1}};
  run_strips<T>({{kernel, parameter, 0, 1, 2, 3}}, operands, 1, a.size(), a.size(), nullptr);
  return y;
}

template <class T> bool close(const std::vector<T>& a, const std::vector<T>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > 4 * std::numeric_limits<T>::epsilon() * std::abs(b[i]))
      return false;
  return true;
}

template <class T> cpu::Operand operand(const std::vector<T>& v) {
  return {v.data(), contiguous_strides(Shape{std::int64_t(v.size())})};
}

}  // namespace

TEMPLATE_TEST_CASE("every op on strips equals the eager one", "[autograd][cpu][strips]", float,
                   double) {
  using T = TestType;
  const std::size_t n = strip_length + 3 * Vec<T>::size;  // a full strip and a part of one
  for (int op = 0; op < Unary::size; ++op)
    visit_unary(op, [&]<class Op>() {
      INFO(Op::name);
      const auto x = numbers<T>(n, 1, Op::from, Op::to), g = numbers<T>(n, 2, -1, 1);
      std::vector<T> y(n), dx(n);
      unary(op, p, dtype_of<T>, x.data(), y.data(), n);
      unary_pullback(op, p, dtype_of<T>, x.data(), y.data(), g.data(), dx.data(), n);
      CHECK(apply(strip_unary<T>(op), p, x, x, x) == y);
      CHECK(apply(strip_unary_pullback<T>(op), p, x, y, g) == dx);
    });
  const Shape shape{std::int64_t(n)};
  const auto a = numbers<T>(n, 3, 0.5, 2), b = numbers<T>(n, 4, 0.5, 2);
  for (int op = 0; op < Binary::size; ++op) {
    INFO(binary_name(op));
    std::vector<T> z(n);
    binary(op, dtype_of<T>, shape, operand(a), operand(b), z.data());
    CHECK(close(apply(strip_binary<T>(op), 0, a, b, b), z));
  }
  auto mask = numbers<T>(n, 5, -1, 1);
  for (T& m : mask) m = T(m > 0);
  std::vector<T> z(n);
  where(dtype_of<T>, shape, operand(mask), operand(a), operand(b), z.data());
  CHECK(apply(strip_where<T>(), 0, mask, a, b) == z);
}

TEMPLATE_TEST_CASE("ops on strips hand on results, repeat scalars and sum what counts",
                   "[autograd][cpu][strips]", float, double) {
  using T = TestType;
  const std::size_t length = 2 * strip_length + Vec<T>::size, rows = 2, counted = length - 3;
  const std::size_t stride = length + 5;
  auto x = numbers<T>(rows * stride, 1, -1, 1);
  std::vector<T> two(strip_length, T(2)), between(strip_length), y(rows * stride);
  double sums[] = {0.5};
  const StripOperand<T> operands[] = {
      {x.data(), stride, 1}, {two.data(), 0, 0}, {between.data(), 0, 0}, {y.data(), stride, 1}};
  const auto add = strip_binary<T>(binary_id<op::Add>), mul = strip_binary<T>(binary_id<op::Mul>);

  run_strips<T>(
      {{mul, 0, 2, 0, 0, 0}, {add, 0, 2, 2, 1, 1}, {mul, 0, 3, 2, 0, 0}, {nullptr, 0, 0, 3, 3, 3}},
      operands, rows, length, counted, sums);

  double sum = 0.5;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < length; ++i) {
      const T v = x[r * stride + i], result = (v * v + T(2)) * v;  // x^3 + 2 x
      REQUIRE(y[r * stride + i] == result);
      if (i < counted) sum += double(result);
    }
  CHECK(sums[0] == Approx(sum).epsilon(1e-13));
}

TEST_CASE("denormal numbers are 0 while they are flushed, and come back", "[autograd][cpu]") {
  volatile double tiny = std::numeric_limits<double>::denorm_min(), one = 1;
  volatile double smallest = std::numeric_limits<double>::min(), half = 0.5;
  {
    const FlushDenormals flush;
    CHECK(tiny * one == 0);
    CHECK(smallest * half == 0);
  }
  CHECK(tiny * one > 0);
  CHECK(smallest * half > 0);
}
