#pragma once
#include <functional>
#include <vector>

namespace pinn {

/// A velocity at the points x[i], y[j] of a grid, row-major: [x, y].
struct Velocity {
  std::vector<double> u, v;
};

/// How fast the lid moves at x, and the slope of that.
struct Lid {
  std::function<double(double)> speed, slope;
};

Lid uniform_lid();    ///< 1
Lid parabolic_lid();  ///< 4 x (1 - x)

/// The steady flow in the unit square that its lid drives:
///
///   u u_x + v u_y = -p_x + laplacian(u)/Re        u_x + v_y = 0
///   u v_x + v v_y = -p_y + laplacian(v)/Re        u = lid(x), v = 0 on y = 1; u = v = 0 on other
///   walls
///
/// A negative Re gives the mirrored flow, under a lid that moves to the right all the same.
///
///   method  finite elements for the stream function psi, u = psi_y, v = -psi_x: polynomials of
///           degree n + 2 in x and in y with continuous slopes, in rectangles that become smaller
///           by factors of 4 towards the lid's corners, where u or its slope jumps, down to 1e-6;
///           Newton's method, from rest over growing Reynolds numbers
///   errors  fall exponentially in n, to the 1e-6 within which the lid takes up speed.
///           NumericsError when Newton's method ends nowhere
///   source  Cayco, Nicolaides (1986), Finite element technique for optimal pressure recovery from
///           stream function formulation of viscous flows, Math. Comp. 46
Velocity solve_cavity(double reynolds, const Lid& lid, int n, const std::vector<double>& x,
                      const std::vector<double>& y);

}  // namespace pinn
