#include "data/reference/equations.h"

#include <cmath>
#include <numbers>
#include <unsupported/Eigen/FFT>

namespace pinn {
namespace {

using Complex = std::complex<double>;
using Modes = std::vector<Complex>;  // of exp(i k x), k = 0 ... n/2 times 2 pi / length

/// Between n real values and their modes.
class Fourier {
 public:
  explicit Fourier(int n) : n_(n) { fft_.SetFlag(fft_.HalfSpectrum); }

  Modes modes(const std::vector<double>& values) {
    Modes m;
    fft_.fwd(m, values);
    return m;
  }
  std::vector<double> values(const Modes& modes) {
    std::vector<double> v;
    fft_.inv(v, modes, n_);
    return v;
  }
  int count() const { return n_ / 2 + 1; }
  /// The highest mode of an even n is a cosine that vanishes, like its odd derivatives, at every
  /// point.
  bool unpaired(int k) const { return 2 * k == n_; }

 private:
  int n_;
  Eigen::FFT<double> fft_;
};

double wave_number(int k, double length) { return 2 * std::numbers::pi * k / length; }

/// exp(z) - 1 with all its digits for small z.
Complex expm1(Complex z) {
  const double half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half,
          std::exp(z.real()) * std::sin(z.imag())};
}

/// Coefficients of ETDRK4, per mode; names as in Kassam and Trefethen, but `e` is less one: a
/// rounded exp(z) near 1 is wrong by the same 1e-16 in every step, and 80 000 steps add that up.
struct Coefficients {
  Modes e, e2, q, f1, f2, f3;

  Coefficients(const PeriodicEquation& equation, int count, double h) {
    constexpr int circle = 64;
    for (int k = 0; k < count; ++k) {
      const Complex z = h * equation.linear(wave_number(k, equation.length));
      // The quotients cancel near r = 0. A circle of radius 1, as in the paper, comes close to 0
      // when |z| = 1; this one stays 1 away, and beyond |z| = 1 none is needed.
      const double radius = std::abs(z) < 1 ? 2 : 0;
      Complex mean_q, mean_1, mean_2, mean_3;
      for (int j = 0; j < circle; ++j) {
        const Complex r = z + std::polar(radius, 2 * std::numbers::pi * (j + 0.5) / circle);
        const Complex er = std::exp(r), r3 = r * r * r;
        mean_q += (std::exp(r / 2.0) - 1.0) / r;
        mean_1 += (-4.0 - r + er * (4.0 - 3.0 * r + r * r)) / r3;
        mean_2 += (2.0 + r + er * (-2.0 + r)) / r3;
        mean_3 += (-4.0 - 3.0 * r - r * r + er * (4.0 - r)) / r3;
      }
      e.push_back(expm1(z));
      e2.push_back(std::exp(z / 2.0));
      q.push_back(mean_q * h / double(circle));
      f1.push_back(mean_1 * h / double(circle));
      f2.push_back(mean_2 * h / double(circle));
      f3.push_back(mean_3 * h / double(circle));
    }
  }
};

/// g(u) + d/dx f(u), from modes to modes.
Modes nonlinear(const PeriodicEquation& equation, const Modes& v, Fourier& fourier) {
  const std::vector<double> u = fourier.values(v);
  Modes sum(v.size());
  std::vector<double> w(u.size());
  if (equation.source) {
    for (std::size_t i = 0; i < u.size(); ++i) w[i] = equation.source(u[i]);
    sum = fourier.modes(w);
  }
  if (equation.flux) {
    for (std::size_t i = 0; i < u.size(); ++i) w[i] = equation.flux(u[i]);
    const Modes m = fourier.modes(w);
    for (int k = 0; k < fourier.count(); ++k)
      if (!fourier.unpaired(k)) sum[k] += Complex(0, wave_number(k, equation.length)) * m[k];
  }
  return sum;
}

/// One step of ETDRK4.
void advance(const PeriodicEquation& equation, const Coefficients& c, Modes& v, Fourier& fourier) {
  const std::size_t count = v.size();
  const Modes nv = nonlinear(equation, v, fourier);
  Modes a(count), b(count), d(count);
  for (std::size_t k = 0; k < count; ++k) a[k] = c.e2[k] * v[k] + c.q[k] * nv[k];
  const Modes na = nonlinear(equation, a, fourier);
  for (std::size_t k = 0; k < count; ++k) b[k] = c.e2[k] * v[k] + c.q[k] * na[k];
  const Modes nb = nonlinear(equation, b, fourier);
  for (std::size_t k = 0; k < count; ++k) d[k] = c.e2[k] * a[k] + c.q[k] * (2.0 * nb[k] - nv[k]);
  const Modes nd = nonlinear(equation, d, fourier);
  for (std::size_t k = 0; k < count; ++k)
    v[k] += c.e[k] * v[k] + c.f1[k] * nv[k] + 2.0 * c.f2[k] * (na[k] + nb[k]) + c.f3[k] * nd[k];
}

}  // namespace

std::vector<std::vector<double>> solve_periodic(const PeriodicEquation& equation,
                                                const std::vector<double>& start,
                                                const std::vector<double>& times, int steps) {
  Fourier fourier(int(start.size()));
  const Coefficients coefficients(equation, fourier.count(), (times.at(1) - times[0]) / steps);

  Modes v = fourier.modes(start);
  std::vector<std::vector<double>> u{start};
  while (u.size() < times.size()) {
    for (int step = 0; step < steps; ++step) advance(equation, coefficients, v, fourier);
    u.push_back(fourier.values(v));
  }
  return u;
}

std::vector<double> periodic_derivative(const std::vector<double>& values, double length,
                                        int order) {
  Fourier fourier(int(values.size()));
  Modes modes = fourier.modes(values);
  for (int k = 0; k < fourier.count(); ++k)
    modes[k] *= fourier.unpaired(k) && order % 2 == 1
                    ? Complex(0)
                    : std::pow(Complex(0, wave_number(k, length)), order);
  return fourier.values(modes);
}

}  // namespace pinn
