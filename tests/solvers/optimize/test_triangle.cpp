#include <cmath>
#include <vector>

#include "autograd/core/random.h"
#include "solvers/optimize/triangle.h"
#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;

namespace {

using Matrix = std::vector<std::vector<double>>;

Tensor deviates(std::int64_t size, std::uint32_t draw) {
  const Random random{3, stream("triangle", "test"), draw};
  Tensor t = empty({size});
  for (std::int64_t i = 0; i < size; ++i) t.data<double>()[i] = random.normal(i);
  return t;
}

/// All of a matrix, from its triangle.
Matrix whole(const Tensor& h, std::int64_t n) {
  Matrix m(n, std::vector<double>(n));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j) m[i][j] = m[j][i] = h.values()[triangle_size(i) + j];
  return m;
}

std::vector<double> times(const Matrix& m, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += m[i][j] * x[j];
  return y;
}

double times(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Equal but for the order of about n additions of numbers of size one.
void check_close(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    CHECK(a[i] == Approx(b[i]).epsilon(1e-12).margin(1e-12));
}

}  // namespace

TEST_CASE("a product with the triangle is a product with the whole matrix", "[optimize]") {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 11, 16, 29, 64}) {
    const Tensor h = deviates(triangle_size(n), 0), x = deviates(n, 1);
    INFO(n << " rows");
    check_close(product(h, x).values(), times(whole(h, n), x.values()));
  }
}

TEST_CASE("an update adds two products of vectors and multiplies what came out", "[optimize]") {
  for (const std::int64_t n : {1, 4, 7, 16, 29}) {
    Tensor h = deviates(triangle_size(n), 0);
    const Tensor x = deviates(n, 1), q = deviates(n, 2), s = deviates(n, 3);
    const Update update{0.5, q, s, s, q};  // 0.5 H + q s^T + s q^T
    Matrix expected = whole(h, n);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        expected[i][j] =
            0.5 * expected[i][j] + q.values()[i] * s.values()[j] + s.values()[i] * q.values()[j];
    const Tensor y = update_and_product(h, update, x);
    INFO(n << " rows");
    const Matrix updated = whole(h, n);
    for (std::int64_t i = 0; i < n; ++i) check_close(updated[i], expected[i]);
    check_close(y.values(), times(expected, x.values()));
  }
}

TEST_CASE("the identity is positive definite, and not after one entry turns negative",
          "[optimize]") {
  Tensor h = identity_triangle(20);
  CHECK(is_positive_definite(h));
  h.data<double>()[triangle_size(13) + 13] = -1e-3;
  CHECK_FALSE(is_positive_definite(h));
}

TEST_CASE("a matrix of ones with a slightly smaller diagonal is not positive definite",
          "[optimize]") {
  Tensor h = full({triangle_size(9)}, 1);
  for (int i = 0; i < 9; ++i) h.data<double>()[triangle_size(i) + i] = 0.99;
  CHECK_FALSE(is_positive_definite(h));
}

// The update of H as the papers write it: scaling first, then the rank-two change of Broyden's
// class, then s s^T / (y.s), in plain loops.
TEST_CASE("the dense method updates H by the formulas of self-scaled Broyden and keeps H y = s",
          "[optimize]") {
  constexpr std::int64_t n = 6;
  OptimizerOptions options;
  options.kind = "ssbroyden";
  const auto optimizer = make_optimizer(options, n);
  Rosenbrock rosenbrock;
  Tensor p = from_values({-1.2, 1, -0.5, 0.3, 0.8, 0.1}, {n});
  OptimizerMemory memory;
  for (int move = 0; move < 25; ++move) {
    Matrix h = memory.tensors.count("inverse_hessian") ? whole(memory.tensors["inverse_hessian"], n)
                                                       : whole(identity_triangle(n), n);
    std::vector<double> g(n);
    Tensor gradient = empty({n});
    rosenbrock.value_and_gradient(p, gradient);
    g = gradient.values();
    const std::vector<double> before = p.values();
    const double alpha = optimizer->advance(p, memory, rosenbrock).rate;
    const std::vector<double> after = memory.tensors["gradient"].values();

    std::vector<double> s = times(h, g), y(n), v(n);
    for (int i = 0; i < n; ++i) s[i] *= -alpha, y[i] = after[i] - g[i];
    const double rho = 1 / times(y, s);
    const std::vector<double> q = times(h, y);
    const double yq = times(y, q), b = -alpha * rho * times(s, g), hh = yq * rho, a = b * hh - 1;
    const double c = std::sqrt(std::abs(a) / (1 + a)), rm = std::min(1.0, hh * (1 - c));
    const double theta = std::max((rm - 1) / a, std::min(1 / rm, (1 - b) / b));
    const double sigma = 1 + theta * a, root = std::pow(std::abs(sigma), 1.0 / (1 - n));
    const double rk = std::min(1.0, 1 / b);
    const double tau = theta <= 0 ? std::min(rk * root, sigma) : rk * std::min(root, 1 / theta);
    const double phi = (1 - theta) / (1 + a * theta);
    for (int i = 0; i < n; ++i) v[i] = rho * s[i] - q[i] / yq;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        h[i][j] = (h[i][j] - q[i] * q[j] / yq + phi * yq * v[i] * v[j]) / tau + rho * s[i] * s[j];

    INFO("move " << move);
    const Matrix updated = whole(memory.tensors["inverse_hessian"], n);
    for (int i = 0; i < n; ++i) {
      CHECK(p.values()[i] == Approx(before[i] + s[i]).epsilon(1e-10));
      for (int j = 0; j < n; ++j)
        CHECK(updated[i][j] == Approx(h[i][j]).epsilon(1e-8).margin(1e-10));
    }
    check_close(times(updated, y), s);
    CHECK(is_positive_definite(memory.tensors["inverse_hessian"]));
  }
}

TEST_CASE("an inverse Hessian that is no longer positive definite is dropped with the points",
          "[optimize]") {
  OptimizerOptions options;
  options.kind = "ssbroyden";
  const auto optimizer = make_optimizer(options, 6);
  Rosenbrock rosenbrock;
  Tensor p = full({6}, -1);
  OptimizerMemory memory;
  for (int i = 0; i < 5; ++i) optimizer->advance(p, memory, rosenbrock);
  memory.moves = 500;  // long after the last check
  OptimizerMemory spoiled = memory;
  spoiled.tensors["inverse_hessian"] = full({triangle_size(6)}, 1);
  spoiled.tensors["inverse_hessian"].data<double>()[0] = -1;
  optimizer->objective_changed(memory);
  optimizer->objective_changed(spoiled);
  CHECK(memory.tensors.count("inverse_hessian") == 1);
  CHECK(spoiled.tensors.count("inverse_hessian") == 0);
}
