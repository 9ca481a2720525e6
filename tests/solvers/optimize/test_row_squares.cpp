#include "solvers/optimize/dense/row_squares.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "tests/catch.h"

using namespace pinn;

namespace {

constexpr std::size_t count = 40, columns = 4;

/// Two columns that differ by a millionth of a percent, one that no row has, and one of other
/// units.
std::vector<double> row(std::size_t i) {
  const double s = std::sin(double(i)), c = std::cos(2.3 * double(i));
  return {s, s + 1e-8 * c, 0, 1e5 * c * c};
}

/// Rows whose least squares are 0 where d = (-1, 3, -, -2e-5).
RowSquares some_squares() {
  RowSquares squares(count, columns);
  const std::vector<std::size_t> present{0, 1, 3};
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> all = row(i);
    squares.set(i, present, std::vector<double>{all[0], all[1], all[3]},
                all[0] - 3 * all[1] + 2e-5 * all[3]);
  }
  return squares;
}

}  // namespace

TEST_CASE("least squares of rows lose no digits that normal equations lose") {
  const std::vector<double> step = some_squares().steps({1e-24})[0];
  CHECK(step[0] == Approx(-1).epsilon(1e-6));
  CHECK(step[1] == Approx(3).epsilon(1e-6));
  CHECK(step[2] == 0);
  CHECK(step[3] == Approx(-2e-5).epsilon(1e-6));
}

TEST_CASE("a damping is one of columns of length 1, and what is solved has it") {
  RowSquares squares = some_squares();
  const double damping = 0.1;
  squares.steps({1e-3, damping});
  const std::vector<double> x = squares.solve(1, std::vector<double>{1, 2, 3, 4});
  std::vector<double> product(columns, 0.0), lengths(columns, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> one = row(i);
    double sum = 0;
    for (std::size_t k = 0; k < columns; ++k) sum += one[k] * x[k], lengths[k] += one[k] * one[k];
    for (std::size_t k = 0; k < columns; ++k) product[k] += one[k] * sum;
  }
  CHECK(x[2] == 0);
  for (const std::size_t k : {0, 1, 3})
    CHECK(product[k] + damping * lengths[k] * x[k] == Approx(double(k + 1)).epsilon(1e-9));
}

TEST_CASE("rows in a band, rows across it and columns that all have are solved as dense ones are") {
  constexpr std::size_t n = 300, rows = 1500;
  const bool wide = GENERATE(false, true), shared = GENERATE(false, true);
  const std::size_t own = shared ? n - 2 : n;
  RowSquares squares(rows, n);
  Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(rows, n);
  Eigen::VectorXd right(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::size_t> at;
    std::vector<double> values;
    const std::size_t first = (i * 7919) % (own - 37);
    for (const std::size_t step : {0, 1, 3, 37}) at.push_back(first + step);
    if (wide && i % 100 == 0) at = {0, own - 1};
    if (shared) at.insert(at.end(), {n - 2, n - 1});
    at.push_back(at[0]);  // named twice
    for (std::size_t k = 0; k < at.size(); ++k) {
      values.push_back(std::sin(double(i + 1) * double(k + 1)));
      whole(Eigen::Index(i), Eigen::Index(at[k])) += values.back();
    }
    right[Eigen::Index(i)] = std::cos(double(i));
    squares.set(i, at, values, right[Eigen::Index(i)]);
  }
  const double damping = 1e-10;
  const std::vector<double> step = squares.steps({damping})[0];
  Eigen::MatrixXd normal = whole.transpose() * whole;
  for (Eigen::Index k = 0; k < Eigen::Index(n); ++k) normal(k, k) *= 1 + damping;
  const Eigen::VectorXd expected = normal.llt().solve(-(whole.transpose() * right));
  for (std::size_t k = 0; k < n; ++k)
    CHECK(step[k] == Approx(expected[Eigen::Index(k)]).epsilon(1e-7).margin(1e-9));
}
