#pragma once
#include <Eigen/Core>

namespace pinn {

/// A (x) G of a matrix [m, n], both symmetric: X -> A X G.
struct Kronecker {
  Eigen::MatrixXd a, g;
};

/// The X with A_1 X G_1 + A_2 X G_2 = D, where a damping is added to each factor: so many times the
/// mean of its diagonal. A pair whose G_2 is zero is one product, and zeros alone give zeros.
///
///   cost    22/3 (m^3 + n^3) + 4 (m^2 n + m n^2) flops and about as many again for eigenvectors
///   source  both pairs are diagonal in one basis: Martens & Grosse (2015), arXiv 1503.05671,
///           appendix B; Dangel, Müller & Zeinhofer (2024), arXiv 2405.15603
Eigen::MatrixXd solve(const Kronecker& first, const Kronecker& second, double damping,
                      const Eigen::MatrixXd& d);

}  // namespace pinn
