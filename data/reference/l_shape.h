#pragma once
#include <Eigen/Core>

namespace pinn {

/// Poisson's equation in the square [-1, 1]^2 less [0, 1]^2, whose corner at the origin is
/// reentrant:
///
///   laplacian(u) = -1,   u = 0 on the boundary
///
///   method  particular solutions: -(x^2 + y^2)/4 and harmonic functions whose sum is least on the
///           boundary, at points that are dense near corners. Of z in the complex plane: z^(2k/3)
///           at the origin, powers of 2 and z^2 log z there (2 is the third multiple of 2/3), z^2
///           log z at each of the five other corners, where u has no singularity but this, and
///           polynomials. All are symmetric in x and y, as u is.
///   errors  the sum is harmonic but for the first, so what is left on the boundary is the largest
///           error anywhere (the maximum principle). It falls exponentially in n.
///   source  Fox, Henrici, Moler (1967), Approximations and bounds for eigenvalues of elliptic
///           operators, SIAM J. Numer. Anal. 4
class LShape {
 public:
  /// With n singular powers at the origin and n polynomials.
  explicit LShape(int n);

  /// u at a place of the closed domain.
  double operator()(double x, double y) const;
  /// The largest |u| at points of the boundary, between those of the fit and four times as many.
  double error() const;

 private:
  int n_;
  Eigen::VectorXd coefficients_;
};

}  // namespace pinn
