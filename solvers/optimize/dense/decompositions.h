#pragma once
#include <Eigen/Core>
#include <functional>

#include "autograd/core/random.h"

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

/// Low-rank approximation of a symmetric matrix [n, n]: A ~ U diag(curvatures) U^T, U orthonormal.
struct LowRank {
  Eigen::MatrixXd directions;  ///< U [n, rank]
  Eigen::VectorXd curvatures;  ///< [rank], from large to small, none below 0

  /// (A + damping I)^-1 v, where A has the smallest curvature along all that U does not know.
  /// Taken for 0 there, as the approximation has it, such a part of v would count as
  /// 1 / damping, and most of it has more curvature than that.
  Eigen::VectorXd solve(const Eigen::VectorXd& v, double damping) const;
};

/// An approximation from products with random vectors: with Y = A W and W orthonormal,
/// A ~ Y (W^T Y)^-1 Y^T, shifted for the factorization and back. It is exact where the rank is n.
/// An A that is not positive semidefinite is shifted by what W sees of that.
///
///   cost    4 n rank^2 flops and 20 rank^3, beside the products
///   source  Tropp, Yurtsever, Udell & Cevher (2017), arXiv 1706.05736, algorithm 3
LowRank nystrom(std::size_t n, std::size_t rank, const Random& random,
                const std::function<Eigen::MatrixXd(const Eigen::MatrixXd& w)>& products);

}  // namespace pinn
