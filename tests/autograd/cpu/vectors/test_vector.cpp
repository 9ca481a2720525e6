#include "autograd/cpu/vectors/vector.h"

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "autograd/ops/unary.h"
#include "tests/catch.h"
#include "tests/larger.h"

using namespace pinn;
using pinn::test::larger;

namespace {

/// |a - b| in units in the last place of b.
template <class T> double ulps(T a, T b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const T next = std::nextafter(std::abs(b), std::numeric_limits<T>::infinity());
  return std::abs(double(a) - double(b)) / (double(next) - double(std::abs(b)));
}

template <class T> std::vector<T> samples(double from, double to) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(from, to);
  std::vector<T> x(64 * Vec<T>::size);
  for (T& v : x) v = T(uniform(generator));
  return x;
}

/// The worst error of a function of vectors against that of long double numbers.
template <class T, class F, class G>
double worst(double from, double to, F of_vectors, G of_numbers) {
  double error = 0;
  const auto x = samples<T>(from, to);
  for (std::size_t i = 0; i < x.size(); i += Vec<T>::size) {
    const Vec<T> y = of_vectors(Vec<T>::load(&x[i]));
    for (int l = 0; l < Vec<T>::size; ++l)
      error = larger(error, ulps(y[l], T(of_numbers((long double)x[i + l]))));
  }
  return error;
}

}  // namespace

TEMPLATE_TEST_CASE("functions of vectors are right to 4 units in the last place", "[cpu]", float,
                   double) {
  using T = TestType;
  using L = long double;
  CHECK(worst<T>(
            -20, 20, [](auto x) { return exp(x); }, [](L x) { return std::exp(x); }) <= 4);
  CHECK(worst<T>(
            0.01, 9, [](auto x) { return log(x); }, [](L x) { return std::log(x); }) <= 4);
  CHECK(worst<T>(
            0, 2, [](auto x) { return log1p(x); }, [](L x) { return std::log1p(x); }) <= 4);
  CHECK(worst<T>(
            0, 9, [](auto x) { return sqrt(x); }, [](L x) { return std::sqrt(x); }) <= 1);
  CHECK(worst<T>(
            -9, 9, [](auto x) { return sin(x); }, [](L x) { return std::sin(x); }) <= 4);
  CHECK(worst<T>(
            -9, 9, [](auto x) { return cos(x); }, [](L x) { return std::cos(x); }) <= 4);
  CHECK(worst<T>(
            -1, 1, [](auto x) { return tan(x); }, [](L x) { return std::tan(x); }) <= 4);
  CHECK(worst<T>(
            -9, 9, [](auto x) { return atan(x); }, [](L x) { return std::atan(x); }) <= 4);
  CHECK(worst<T>(
            -9, 9, [](auto x) { return sinh(x); }, [](L x) { return std::sinh(x); }) <= 4);
  CHECK(worst<T>(
            -9, 9, [](auto x) { return cosh(x); }, [](L x) { return std::cosh(x); }) <= 4);
  CHECK(worst<T>(
            -9, 9, [](auto x) { return tanh(x); }, [](L x) { return std::tanh(x); }) <= 4);
  CHECK(worst<T>(
            -4, 4, [](auto x) { return erf(x); }, [](L x) { return std::erf(x); }) <= 4);
  CHECK(worst<T>(
            0.01, 9, [](auto x) { return pow(x, Vec<T>(2.5)); },
            [](L x) { return std::pow(x, 2.5L); }) <= 4);
  CHECK(worst<T>(
            -9, 9, [](auto x) { return atan2(x, Vec<T>(-1.5)); },
            [](L x) { return std::atan2(x, -1.5L); }) <= 4);
}

TEMPLATE_TEST_CASE("functions of vectors know the special numbers", "[cpu]", float, double) {
  using T = TestType;
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();

  CHECK(exp(Vec<T>(-inf))[0] == 0);
  CHECK(exp(Vec<T>(inf))[0] == T(inf));
  CHECK(log(Vec<T>(0.0))[0] == T(-inf));
  CHECK(std::isnan(log(Vec<T>(-1.0))[0]));
  CHECK(std::isnan(sqrt(Vec<T>(-1.0))[0]));
  CHECK(tanh(Vec<T>(inf))[0] == 1);
  CHECK(std::isnan(tanh(Vec<T>(nan))[0]));
  CHECK(erf(Vec<T>(-inf))[0] == -1);
  CHECK(pow(Vec<T>(-2.0), Vec<T>(3.0))[0] == -8);
  CHECK_FALSE(std::signbit(abs(Vec<T>(-0.0))[0]));
  CHECK(std::isnan(abs(Vec<T>(nan))[0]));
  CHECK(std::signbit(Vec<T>(-0.0)[0]));
}

TEMPLATE_LIST_TEST_CASE("what becomes of an element does not depend on its lane", "[cpu]", Unary) {
  const auto check = [](auto number) {
    using T = decltype(number);
    constexpr int n = Vec<T>::size;
    T x[2 * n], unusual[n];  // neighbors that take libmvec's slow path
    for (int i = 0; i < 2 * n; ++i)
      x[i] = T(TestType::from + (TestType::to - TestType::from) * (i + 0.5) / (2 * n));
    for (int lane = 0; lane < n; ++lane) {
      const T alone = value_of<TestType>(Vec<T>(x[lane]), 2.5)[0];
      std::fill(unusual, unusual + n, std::numeric_limits<T>::infinity());
      unusual[lane] = x[lane];

      CHECK(value_of<TestType>(Vec<T>::load(x), 2.5)[lane] == alone);
      CHECK(value_of<TestType>(Vec<T>::load(x + lane), 2.5)[0] == alone);
      CHECK(value_of<TestType>(Vec<T>::load(unusual), 2.5)[lane] == alone);
    }
  };
  check(float{});
  check(double{});
}

TEST_CASE("a vector filled in part repeats its first number", "[cpu]") {
  const double x[] = {3, 4, 5};

  const auto v = Vec<double>::load(x, 1);

  for (int l = 0; l < Vec<double>::size; ++l) CHECK(v[l] == 3);
}

TEST_CASE("a vector stored in part leaves the rest alone", "[cpu]") {
  double y[Vec<double>::size + 1] = {};

  Vec<double>(2.0).store(y, 1);

  CHECK(y[0] == 2);
  CHECK(y[1] == 0);
}
