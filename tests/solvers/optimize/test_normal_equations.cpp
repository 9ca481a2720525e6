#include "solvers/optimize/dense/normal_equations.h"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "autograd/core/random.h"
#include "solvers/optimize/dense/strip_cholesky.h"
#include "tests/autograd/core/thread_ranks.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

constexpr std::size_t columns = 230;  // more than one strip

std::vector<double> deviates(std::size_t size, std::uint32_t draw) {
  const Random random{5, stream("normal equations", "test"), draw};
  std::vector<double> all(size);
  for (std::size_t i = 0; i < size; ++i) all[i] = random.normal(i);
  return all;
}

/// Normal equations of 300 rows in two parts.
NormalEquations equations(int threads, std::uint32_t draw = 0, Ranks& ranks = alone()) {
  ThreadPool pool(threads);
  NormalEquations sums(columns, ranks);
  const std::vector<double> rows = deviates(300 * columns, draw), r = deviates(300, draw + 1);
  sums.add(std::span(rows).first(100 * columns), std::span(r).first(100), &pool);
  sums.add(std::span(rows).subspan(100 * columns), std::span(r).subspan(100), &pool);
  return sums;
}

double entry(const NormalEquations& e, std::size_t i, std::size_t j) {
  const auto above = Eigen::Index(std::min(i, j)), column = Eigen::Index(std::max(i, j));
  return e.matrix().strip(column / square_strip)(above, column % square_strip);
}

/// A v
std::vector<double> times(const NormalEquations& e, const std::vector<double>& v) {
  std::vector<double> product(columns);
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t j = 0; j < columns; ++j) product[i] += entry(e, i, j) * v[j];
  return product;
}

const std::vector<double> no_ridge(columns, 0.0);

}  // namespace

TEST_CASE("normal equations are sums of products over all rows", "[optimize]") {
  const NormalEquations e = equations(1);
  const std::vector<double> rows = deviates(300 * columns, 0), r = deviates(300, 1);
  for (const std::size_t i : {0ul, 100ul, 229ul})
    for (const std::size_t j : {0ul, 100ul, 195ul}) {
      double product = 0, gradient = 0;
      for (std::size_t n = 0; n < 300; ++n) {
        product += rows[n * columns + i] * rows[n * columns + j];
        gradient += rows[n * columns + i] * r[n];
      }
      CHECK(entry(e, i, j) == Approx(product).margin(1e-10));
      CHECK(e.gradient()[i] == Approx(gradient).margin(1e-10));
    }
}

TEST_CASE("normal equations are the same for any number of ranks and threads", "[optimize]") {
  const NormalEquations one = equations(1);
  const Eigen::MatrixXd matrix = one.matrix().whole(alone());
  for (const auto& [ranks, threads] : {std::pair{1, 3}, {2, 1}, {3, 2}})
    test::on_ranks(ranks, [&, threads = threads](Ranks& some) {
      const NormalEquations shared = equations(threads, 0, some);
      if (shared.matrix().whole(some) != matrix || shared.gradient() != one.gradient())
        throw std::runtime_error("other bits on rank " + std::to_string(some.rank()));
    });
}

TEST_CASE("what a factorization solves satisfies the equations, ridge and all", "[optimize]") {
  const NormalEquations e = equations(1);
  std::vector<double> ridge = no_ridge;
  ridge[3] = 0.5;
  const Cholesky factor(e, ridge);
  REQUIRE(factor.exists());
  const std::vector<double> x = factor.solve(e.gradient());
  std::vector<double> product = times(e, x);
  product[3] += 0.5 * entry(e, 3, 3) * x[3];
  for (std::size_t i = 0; i < columns; ++i)
    REQUIRE(product[i] == Approx(e.gradient()[i]).margin(1e-8));
}

TEST_CASE("a trace with other equations is that of the inverse times their matrix", "[optimize]") {
  const NormalEquations e = equations(1), others = equations(1, 7);
  const Cholesky factor(e, no_ridge);
  double trace = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    std::vector<double> column(columns);
    for (std::size_t i = 0; i < columns; ++i) column[i] = entry(others, i, j);
    trace += factor.solve(column)[j];
  }
  CHECK(factor.trace_with(others) == Approx(trace).epsilon(1e-9));
}

TEST_CASE("a parameter of which no row depends stays where it is", "[optimize]") {
  ThreadPool pool(1);
  NormalEquations sums(2);
  sums.add(std::vector<double>{3, 0}, std::vector<double>{6}, &pool);
  const Cholesky factor(sums, std::vector<double>{0, 0});
  REQUIRE(factor.exists());
  CHECK(factor.solve(sums.gradient())[0] == Approx(2));
  CHECK(factor.solve(sums.gradient())[1] == 0);
}

TEST_CASE("rows that are one another's multiples have a factorization only with a ridge",
          "[optimize]") {
  ThreadPool pool(1);
  NormalEquations sums(2);
  sums.add(std::vector<double>{1, 1, 2, 2}, std::vector<double>{1, 2}, &pool);
  CHECK_FALSE(Cholesky(sums, std::vector<double>{0, 0}).exists());
  CHECK(Cholesky(sums, std::vector<double>{1e-6, 1e-6}).exists());
}
