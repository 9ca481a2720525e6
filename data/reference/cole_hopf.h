#pragma once

namespace pinn {

/// u(x, t) of u_t + u u_x = nu u_xx with u(x, 0) = -sin(pi x) and period 2, so that u(-1) = u(1) =
/// 0:
///
///   u = - int sin(pi y) w dy / int w dy,   w = exp(-cos(pi y) / (2 pi nu) - (x - y)^2 / (4 nu t))
///
///   method  trapezoid rule with `nodes` equidistant nodes where w > 1e-26 of its largest value;
///   the integrands
///           are analytic and vanish at both ends, so that the error falls exponentially in `nodes`
///   errors  no cancellation, no overflow: exponents are taken relative to the largest one
///   source  Cole (1951), Quart. Appl. Math. 9; Hopf (1950), Comm. Pure Appl. Math. 3
double cole_hopf(double x, double t, double nu, int nodes);

}  // namespace pinn
