#include "autograd/cpu/eager/kernels.h"

#include <cmath>
#include <random>
#include <vector>

#include "tests/catch.h"

using namespace pinn;

TEMPLATE_TEST_CASE("a product in any of the four layouts equals the sum of products",
                   "[autograd][cpu]", float, double) {
  using T = TestType;
  const auto [m, n, k] = GENERATE(table<int, int, int>(
      {{1, 1, 1}, {3, 4, 5}, {17, 1, 9}, {1, 33, 2}, {40, 50, 60}, {5, 7, 0}, {0, 3, 3}}));
  const bool a_by_rows = GENERATE(true, false), b_by_rows = GENERATE(true, false);
  const int gap = GENERATE(0, 3);  // rows, or columns, further apart than they are long
  std::mt19937 generator(4);
  std::normal_distribution<double> normal;
  const auto matrix = [&](std::vector<T>& memory, int rows, int columns, bool by_rows) {
    const int step = (by_rows ? columns : rows) + gap;
    memory.resize(std::size_t(step * (by_rows ? rows : columns)) + 1);
    for (T& v : memory) v = T(normal(generator));
    return by_rows ? Matrix{memory.data(), step, 1} : Matrix{memory.data(), 1, step};
  };
  std::vector<T> a_memory, b_memory, c(std::size_t(m * n) + 1, T(7));
  const Matrix a = matrix(a_memory, m, k, a_by_rows), b = matrix(b_memory, k, n, b_by_rows);

  cpu::product(dtype_of<T>, m, n, k, a, b, c.data());

  const double unit = std::numeric_limits<T>::epsilon();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0, sizes = 0;
      for (int l = 0; l < k; ++l) {
        const double term = double(a_memory[std::size_t(i * a.row + l * a.column)]) *
                            double(b_memory[std::size_t(l * b.row + j * b.column)]);
        sum += term;
        sizes += std::fabs(term);
      }
      REQUIRE(std::fabs(double(c[std::size_t(i * n + j)]) - sum) <= k * unit * sizes);
    }
  CHECK(c.back() == T(7));  // nothing beyond c was written
}
