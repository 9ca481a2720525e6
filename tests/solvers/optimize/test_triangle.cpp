#include <cmath>
#include <vector>

#include "autograd/core/random.h"
#include "solvers/optimize/dense/triangle.h"
#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;

namespace {

using Matrix = std::vector<std::vector<double>>;

Tensor deviates(std::int64_t size, std::uint32_t draw, DType dtype = DType::float64) {
  return randn({size}, Random{3, stream("triangle", "test"), draw}, dtype);
}

/// All of a matrix, from its triangle.
Matrix whole(const Tensor& h, std::int64_t n) {
  Matrix m(n, std::vector<double>(n));
  const std::vector<double> values = h.values();
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j) m[i][j] = m[j][i] = values[triangle_size(i) + j];
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

/// The inverse Hessian that a memory stands for: the stored one and the update that is left to do.
Tensor inverse_hessian(const OptimizerMemory& memory) {
  Tensor h = memory.tensors.at("inverse_hessian").clone();
  if (memory.tensors.count("update") == 0) return h;
  const Update update{memory.numbers.at("scale"), memory.tensors.at("update")};
  update_and_products(h, &update, {});
  return h;
}

/// Equal but for the order of about n additions of numbers of size one.
void check_close(const std::vector<double>& a, const std::vector<double>& b, double by = 1e-12) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).epsilon(by).margin(by));
}

constexpr DType types[] = {DType::float64, DType::float32};

}  // namespace

TEST_CASE("a product with the triangle is a product with the whole matrix", "[optimize]") {
  for (const DType type : types)
    for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 11, 16, 29, 64, 513, 1030}) {
      const Tensor h = deviates(triangle_size(n), 0, type), x = deviates(n, 1);
      INFO(n << " rows of " << name_of(type));
      check_close(product(h, x).values(), times(whole(h, n), x.values()));
    }
}

TEST_CASE("an update adds two products of vectors and multiplies what came out", "[optimize]") {
  for (const DType type : types)
    for (const std::int64_t n : {1, 4, 7, 16, 29, 530}) {
      Tensor h = deviates(triangle_size(n), 0, type);
      const Tensor x = deviates(n, 1), q = deviates(n, 2), s = deviates(n, 3), z = deviates(n, 4);
      const Update update = update_of(0.5, q, s, s, q);  // 0.5 H + q s^T + s q^T
      Matrix expected = whole(h, n);
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
          expected[i][j] =
              0.5 * expected[i][j] + q.values()[i] * s.values()[j] + s.values()[i] * q.values()[j];
      const std::vector<Tensor> y = update_and_products(h, &update, {x, z});
      INFO(n << " rows of " << name_of(type));
      const Matrix updated = whole(h, n);
      for (std::int64_t i = 0; i < n; ++i)
        check_close(updated[i], expected[i], type == DType::float32 ? 1e-7 : 1e-12);
      check_close(y[0].values(), times(expected, x.values()));
      check_close(y[1].values(), times(expected, z.values()));
    }
}

TEST_CASE("a pass over the triangle has the same bits on any number of threads", "[optimize]") {
  for (const DType type : types)
    for (const std::int64_t n : {100, 777}) {
      const Update update =
          update_of(0.5, deviates(n, 1), deviates(n, 2), deviates(n, 2), deviates(n, 1));
      const auto pass = [&](ThreadPool* threads) {
        Tensor h = deviates(triangle_size(n), 0, type);
        const std::vector<Tensor> y =
            update_and_products(h, &update, {deviates(n, 3), deviates(n, 4)}, threads);
        return std::vector{h.values(), y[0].values(), y[1].values()};
      };
      const auto alone = pass(nullptr);
      for (const int count : {1, 2, 5}) {
        ThreadPool threads(count);
        INFO(n << " rows of " << name_of(type) << " on " << count << " threads");
        CHECK(pass(&threads) == alone);
      }
    }
}

TEST_CASE("a matrix is positive definite until its least eigenvalue is not", "[optimize]") {
  for (const DType type : types)
    for (const std::int64_t n : {1, 2, 3, 9, 20, 131}) {
      INFO(n << " rows of " << name_of(type));
      Tensor ones = full({triangle_size(n)}, 1, type);  // of eigenvalue n, and 0
      CHECK(is_positive_definite(identity_triangle(n, type), n));
      for (const double least : {0.01, -0.01}) {
        Tensor h = ones.clone();
        visit_floating(type, [&]<class T>(T) {
          for (std::int64_t i = 0; i < n; ++i)
            h.data<T>()[triangle_size(i) + i] = T(n == 1 ? least : 1 + least);
        });
        CHECK(is_positive_definite(h, n) == (least > 0));
      }
      for (const std::int64_t row : {std::int64_t(0), n / 2, n - 1}) {
        Tensor h = identity_triangle(n, type);
        visit_floating(type, [&]<class T>(T) { h.data<T>()[triangle_size(row) + row] = T(-1e-3); });
        CHECK_FALSE(is_positive_definite(h, n));
      }
    }
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
    Matrix h =
        memory.moves > 0 ? whole(inverse_hessian(memory), n) : whole(identity_triangle(n), n);
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
    const Matrix updated = whole(inverse_hessian(memory), n);
    for (int i = 0; i < n; ++i) {
      CHECK(p.values()[i] == Approx(before[i] + s[i]).epsilon(1e-10));
      for (int j = 0; j < n; ++j)
        CHECK(updated[i][j] == Approx(h[i][j]).epsilon(1e-8).margin(1e-10));
    }
    check_close(times(updated, y), s);
    CHECK(is_positive_definite(inverse_hessian(memory), n));
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
