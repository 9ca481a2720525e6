#include <cmath>
#include <numbers>

#include "data/reference/equations.h"
#include "data/reference/reference.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

constexpr double pi = std::numbers::pi;

template <class F> std::vector<double> on_grid(int n, const F& f) {
  std::vector<double> values(n);
  for (int i = 0; i < n; ++i) values[i] = f(-1 + 2.0 * i / n);
  return values;
}

PeriodicEquation burgers(double nu) {
  return {2, [nu](double k) { return -nu * k * k; }, {}, [](double u) { return -u * u / 2; }};
}

PeriodicEquation kdv() {
  return {2,
          [](double k) { return std::complex<double>(0, 0.022 * 0.022 * k * k * k); },
          {},
          [](double u) { return -u * u / 2; }};
}

double sine(double x) { return -std::sin(pi * x); }
double cosine(double x) { return std::cos(pi * x); }

/// Error of Burgers' equation with nu = 0.05 at t = 0.5, against the Cole-Hopf integral.
double burgers_error(int n, int steps) {
  const double nu = 0.05;
  const auto u = solve_periodic(burgers(nu), on_grid(n, sine), {0, 0.5}, steps).back();
  return relative_l2(u, on_grid(n, [&](double x) { return cole_hopf(x, 0.5, nu, 200); }));
}

}  // namespace

TEST_CASE("Fourier and ETDRK4 agree with the Cole-Hopf integral", "[data][reference]") {
  CHECK(burgers_error(256, 1600) < 1e-13);
}

TEST_CASE("half the step makes a sixteenth of ETDRK4's error", "[data][reference]") {
  CHECK(std::log2(burgers_error(128, 50) / burgers_error(128, 100)) == Approx(4).margin(0.3));
}

TEST_CASE("twice the points square the error of Fourier's modes", "[data][reference]") {
  const double few = burgers_error(32, 800), many = burgers_error(64, 800);

  CHECK(few > 1e-6);
  CHECK(many < few * few * 100);
}

TEST_CASE("a hundred thousand steps of a linear equation lose nothing", "[data][reference]") {
  // u = exp(5 t) cos(pi x - 7 t). Were exp(z) rounded instead of exp(z) - 1, every step would be
  // wrong by the same 1e-16 and the end by 1e-11.
  const PeriodicEquation wave{
      2, [](double k) { return std::complex<double>(5, -7 * k / pi); }, {}, {}};

  const auto u = solve_periodic(wave, on_grid(8, cosine), {0, 1}, 100000).back();

  const auto exact = on_grid(8, [](double x) { return std::exp(5) * std::cos(pi * x - 7); });
  CHECK(relative_l2(u, exact) < 2e-13);
}

TEST_CASE("the solution of Korteweg and de Vries' equation leaves no residual",
          "[data][reference]") {
  // At t = 0.4 solitons have formed. u_t by differences of eighth order in steps of 1e-3.
  const double h = 1e-3;
  const auto start = solve_periodic(kdv(), on_grid(512, cosine), {0, 0.4}, 4000).back();
  std::vector<double> times;
  for (int i = 0; i <= 8; ++i) times.push_back(h * i);

  const auto u = solve_periodic(kdv(), start, times, 20);

  const auto u_x = periodic_derivative(u[4], 2, 1), u_xxx = periodic_derivative(u[4], 2, 3);
  std::vector<double> u_t(512), right(512);
  for (int i = 0; i < 512; ++i) {
    u_t[i] = (4.0 / 5 * (u[5][i] - u[3][i]) - 1.0 / 5 * (u[6][i] - u[2][i]) +
              4.0 / 105 * (u[7][i] - u[1][i]) - 1.0 / 280 * (u[8][i] - u[0][i])) /
             h;
    right[i] = -u[4][i] * u_x[i] - 0.022 * 0.022 * u_xxx[i];
  }
  CHECK(relative_l2(u_t, right) < 1e-7);
}

TEST_CASE("the reference of Kuramoto and Sivashinsky's equation leaves no residual",
          "[data][reference]") {
  // At t = 0.04, where the wave steepens and no change is too fast for u_t by differences of eighth
  // order in the reference's own times.
  const Reference r = recipe("kuramoto_sivashinsky").solve(1);
  const std::size_t n = r.axes[1].size(), now = 8;
  const double h = r.axes[0][1], pi2 = 2 * pi, a = 100. / 16, b = 100. / (16 * 16),
               g = 100. / (16 * 16 * 16 * 16);
  REQUIRE(h == Approx(0.005));
  const auto u = [&](int later) {
    const auto row = r.fields.at("u").begin() + (now + later) * n;
    return std::vector<double>(row, row + n);
  };

  const auto u_x = periodic_derivative(u(0), pi2, 1), u_xx = periodic_derivative(u(0), pi2, 2),
             u_xxxx = periodic_derivative(u(0), pi2, 4);
  std::vector<double> u_t(n), right(n);
  for (std::size_t i = 0; i < n; ++i) {
    u_t[i] = (4.0 / 5 * (u(1)[i] - u(-1)[i]) - 1.0 / 5 * (u(2)[i] - u(-2)[i]) +
              4.0 / 105 * (u(3)[i] - u(-3)[i]) - 1.0 / 280 * (u(4)[i] - u(-4)[i])) /
             h;
    right[i] = -a * u(0)[i] * u_x[i] - b * u_xx[i] - g * u_xxxx[i];
  }
  CHECK(relative_l2(u_t, right) < 1e-5);
}

TEST_CASE("Korteweg and de Vries' equation keeps the mean of u and of u^2", "[data][reference]") {
  const auto u = solve_periodic(kdv(), on_grid(512, cosine), {0, 1}, 10000).back();

  double mean = 0, square = 0;
  for (const double v : u) {
    mean += v / 512;
    square += v * v / 512;
  }
  CHECK(std::abs(mean) < 1e-13);
  CHECK(square == Approx(0.5).epsilon(1e-9));
}

TEST_CASE("the derivative of a sine is exact", "[data][reference]") {
  const auto u = on_grid(16, [](double x) { return std::sin(3 * pi * x); });

  const auto u_xxx = periodic_derivative(u, 2, 3);

  CHECK(relative_l2(u_xxx, on_grid(16, [](double x) {
                      return -27 * pi * pi * pi * std::cos(3 * pi * x);
                    })) < 1e-14);
}
