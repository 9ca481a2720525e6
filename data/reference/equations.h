#pragma once
#include <array>
#include <complex>
#include <functional>
#include <vector>

namespace pinn {

/// u(x, t) of u_t + u u_x = nu u_xx with u(x, 0) = -sin(pi x) and period 2; u(-1) = u(1) = 0:
///
///   u = - int sin(pi y) w dy / int w dy,   w = exp(-cos(pi y) / (2 pi nu) - (x - y)^2 / (4 nu t))
///
///   method  trapezoid rule with `nodes` equidistant nodes where w > 1e-26 of its largest value;
///           the integrands are analytic and vanish at both ends, so that the error falls
///           exponentially in `nodes`
///   errors  no cancellation, no overflow: exponents are taken relative to the largest one
///   source  Cole (1951), Quart. Appl. Math. 9; Hopf (1950), Comm. Pure Appl. Math. 3
double cole_hopf(double x, double t, double nu, int nodes);

/// x' = sigma (y - x),   y' = x (rho - z) - y,   z' = x y - beta z.
struct Lorenz {
  long double sigma = 10, rho = 28, beta = 8.0L / 3;
};

using Vector3 = std::array<long double, 3>;

/// (x, y, z) at every time of `times` (the first is the start, the others follow in equal
/// distances).
///
///   method  Taylor series of the given order, `steps` steps from time to time, in long doubles
///   errors  the rounding of a step, 1e-19, grows with the flow: by exp(0.9 t) on the attractor
std::vector<Vector3> solve_lorenz(const Lorenz& lorenz, const Vector3& start,
                                  const std::vector<double>& times, int order, int steps);

/// u_t = L u + g(u) + d/dx f(u), periodic in x with period `length`: a stiff linear part with
/// constant coefficients, and a nonlinear part that is cheap in space.
struct PeriodicEquation {
  double length = 2;
  std::function<std::complex<double>(double)>
      linear;                            ///< symbol of L: L exp(i k x) = linear(k) exp(i k x)
  std::function<double(double)> source;  ///< g, or empty
  std::function<double(double)> flux;    ///< f, or empty
};

/// u at every time of `times` (the first is the start, the others follow in equal distances), one
/// vector of values per time, at the n equidistant points where `start` is given.
///
///   method  Fourier modes without dealiasing, ETDRK4 in time with `steps` steps from time to time;
///           the coefficients are means over circles in the complex plane, which lose no digits at
///           small k
///   errors  falls faster than any power of 1/n, and as steps^-4, down to the rounding of doubles
///   source  Kassam, Trefethen (2005), Fourth-order time-stepping for stiff PDEs, SIAM J. Sci.
///           Comput. 26
std::vector<std::vector<double>> solve_periodic(const PeriodicEquation& equation,
                                                const std::vector<double>& start,
                                                const std::vector<double>& times, int steps);

/// The derivative of the trigonometric polynomial through `values` (equidistant, one period) at
/// their points, `order` times by x.
std::vector<double> periodic_derivative(const std::vector<double>& values, double length,
                                        int order);

}  // namespace pinn
