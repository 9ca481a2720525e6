#include "solvers/optimize/newton_schulz.h"

namespace pinn {

Eigen::MatrixXd newton_schulz(const Eigen::MatrixXd& m) {
  const double length = m.norm();
  if (length == 0) return m;
  const bool tall = m.rows() > m.cols();
  Eigen::MatrixXd x = m / length;
  if (tall) x = m.transpose() / length;
  for (int k = 0; k < 5; ++k) {
    const Eigen::MatrixXd a = x * x.transpose();
    Eigen::MatrixXd polynomial = 2.0315 * a * a;
    polynomial -= 4.7750 * a;
    polynomial.diagonal().array() += 3.4445;
    x = polynomial * x;
  }
  if (tall) return x.transpose();
  return x;
}

}  // namespace pinn
