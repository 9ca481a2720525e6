#include "solvers/trust/product_basis.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/solvers/residual/problems.h"

using namespace pinn;
using namespace pinn::test;

namespace {

MultiIndex times(int coordinate, int order) {
  MultiIndex a{};
  a[std::size_t(coordinate)] = std::uint8_t(order);
  return a;
}

/// All functions at a point, those that are 0 there included.
std::vector<double> values(const ProductBasis& basis, const std::vector<double>& x,
                           const MultiIndex& order) {
  const ProductBasis::Values some = basis.at(x, {&order, 1});
  std::vector<double> all(basis.size(), 0);
  for (std::size_t k = 0; k < some.functions.size(); ++k)
    all[some.functions[k]] = some.derivatives[k];
  return all;
}

}  // namespace

TEST_CASE("derivatives of products of functions are differences of them", "[train]") {
  const int inputs = GENERATE(1, 2, 3, 4);
  const bool periodic = GENERATE(false, true);
  std::vector<std::string> names{"x", "y", "z", "w"};
  names.resize(std::size_t(inputs));
  auto p = problem(names, {"u"}, {});
  p->periodic[0] = periodic;
  std::vector<int> all;
  for (int c = 0; c < inputs; ++c) all.push_back(c);
  const ProductBasis basis(*p, all, std::vector<double>(names.size(), 1), 200, 3);
  CHECK(basis.size() > 20);
  CHECK(basis.size() <= 200);
  const double h = 1e-5;
  for (int c = 0; c < inputs; ++c)
    for (int order = 0; order < 3; ++order) {
      std::vector<double> x{0.31, -0.47, 0.62, 0.11}, above = x, below = x;
      x.resize(names.size()), above.resize(names.size()), below.resize(names.size());
      above[std::size_t(c)] += h;
      below[std::size_t(c)] -= h;
      const auto upper = values(basis, above, times(c, order)),
                 lower = values(basis, below, times(c, order)),
                 slope = values(basis, x, times(c, order + 1));
      double largest = 0;
      for (const double s : slope) largest = larger(largest, std::fabs(s));
      for (std::size_t k = 0; k < slope.size(); ++k)
        CHECK(slope[k] == Approx((upper[k] - lower[k]) / (2 * h)).margin(1e-6 * largest));
    }
}

TEST_CASE("splines add up to one everywhere, ends included", "[train]") {
  auto p = problem({"x", "y"}, {"u"}, {});
  const ProductBasis basis(*p, {0, 1}, {1, 3}, 300, 3);
  for (const double x : {-1.0, -0.2, 0.7, 1.0})
    for (const double y : {-1.0, 0.01, 1.0}) {
      double sum = 0;
      for (const double v : values(basis, {x, y}, MultiIndex{})) sum += v;
      CHECK(sum == Approx(1));
    }
}

TEST_CASE("a basis of no coordinates is a constant", "[train]") {
  auto p = problem({"t"}, {"u"}, {});
  const ProductBasis basis(*p, {}, {}, 10, 3);
  CHECK(basis.size() == 1);
  CHECK(values(basis, {0.3}, MultiIndex{}) == std::vector<double>{1});
}
