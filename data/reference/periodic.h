#pragma once
#include <complex>
#include <functional>
#include <vector>

namespace pinn {

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
///   the
///           coefficients are means over circles in the complex plane, which lose no digits at
///           small k
///   errors  falls faster than any power of 1/n, and as steps^-4, down to the rounding of doubles
///   source  Kassam, Trefethen (2005), Fourth-order time-stepping for stiff PDEs, SIAM J. Sci.
///   Comput. 26
std::vector<std::vector<double>> solve_periodic(const PeriodicEquation& equation,
                                                const std::vector<double>& start,
                                                const std::vector<double>& times, int steps);

/// The trigonometric polynomial through `values` (equidistant, one period), at n >= values.size()
/// points of which the first is the first.
std::vector<double> trigonometric_interpolant(const std::vector<double>& values, int n);

/// The derivative of that polynomial at its own points, `order` times by x.
std::vector<double> periodic_derivative(const std::vector<double>& values, double length,
                                        int order);

}  // namespace pinn
