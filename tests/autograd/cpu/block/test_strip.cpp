#include "autograd/cpu/block/strip.h"

#include <limits>
#include <random>
#include <vector>

#include "autograd/cpu/eager/kernels.h"
#include "autograd/cpu/vectors/processor.h"
#include "autograd/cpu/vectors/vector.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::cpu;

namespace {

constexpr double exponent = 2.5;  // the exponent of power

template <class T> std::vector<T> numbers(std::size_t n, unsigned seed, double from, double to) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> value(from, to);
  std::vector<T> v(n);
  for (T& x : v) x = T(value(generator));
  return v;
}

/// A function on arrays a, b, c.
template <class T>
std::vector<T> apply(const Elementwise& f, const std::vector<T>& a, const std::vector<T>& b,
                     const std::vector<T>& c) {
  std::vector<T> y(a.size());
  strip_kernel<T>(f)(a.data(), b.data(), c.data(), f.parameter, y.data(), y.size());
  return y;
}

template <class T> bool are_close(const std::vector<T>& a, const std::vector<T>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > 4 * std::numeric_limits<T>::epsilon() * std::abs(b[i]))
      return false;
  return true;
}

template <class T> Strided operand(const std::vector<T>& v) {
  return {v.data(), contiguous_strides(Shape{std::int64_t(v.size())})};
}

}  // namespace

TEMPLATE_TEST_CASE("every op on strips equals the eager one", "[autograd][cpu][strips]", float,
                   double) {
  using T = TestType;
  const std::size_t n = 19 * Vec<T>::size;
  for (int op = 0; op < Unary::size; ++op)
    visit_unary(op, [&]<class Op>() {
      INFO(Op::name);
      const auto x = numbers<T>(n, 1, Op::from, Op::to), g = numbers<T>(n, 2, -1, 1);
      std::vector<T> y(n), dx(n);
      unary(op, exponent, dtype_of<T>, x.data(), y.data(), n);
      unary_pullback(op, exponent, dtype_of<T>, x.data(), y.data(), g.data(), dx.data(), n);
      CHECK(apply({Elementwise::unary, op, exponent}, x, x, x) == y);
      CHECK(apply({Elementwise::unary_pullback, op, exponent}, x, y, g) == dx);
    });
  const Shape shape{std::int64_t(n)};
  const auto a = numbers<T>(n, 3, 0.5, 2), b = numbers<T>(n, 4, 0.5, 2);
  for (int op = 0; op < Binary::size; ++op) {
    INFO(binary_name(op));
    std::vector<T> z(n);
    binary(op, dtype_of<T>, shape, operand(a), operand(b), z.data());
    CHECK(are_close(apply({Elementwise::binary, op}, a, b, b), z));
  }
  auto mask = numbers<T>(n, 5, -1, 1);
  for (T& m : mask) m = T(m > 0);
  std::vector<T> z(n);
  ternary(ternary_id<op::Where>, dtype_of<T>, shape, operand(mask), operand(a), operand(b),
          z.data());
  CHECK(apply({Elementwise::ternary, ternary_id<op::Where>}, mask, a, b) == z);
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
