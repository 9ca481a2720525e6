#include "solvers/optimize/dense/decompositions.h"

#include <limits>

#include "solvers/optimize/dense/dense.h"

namespace pinn {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

MatrixXd random_directions(std::size_t n, std::size_t rank, const Random& random) {
  MatrixXd w{Index(n), Index(rank)};
  for (std::size_t i = 0; i < n * rank; ++i) w.data()[i] = random.normal(i);
  return orthonormal(w).q;
}

}  // namespace

VectorXd LowRank::solve(const VectorXd& v, double damping) const {
  const VectorXd known = directions.transpose() * v;
  const double rest = curvatures[curvatures.size() - 1] + damping;
  const VectorXd gain = 1 / (curvatures.array() + damping) - 1 / rest;
  return directions * gain.cwiseProduct(known) + v / rest;
}

LowRank nystrom(std::size_t n, std::size_t rank, const Random& random,
                const std::function<MatrixXd(const MatrixXd& w)>& products) {
  const MatrixXd w = random_directions(n, rank, random);
  MatrixXd y = products(w);
  MatrixXd core = inner_product(w, y);
  core = (0.5 * (core + core.transpose())).eval();
  const double rounding = std::numeric_limits<double>::epsilon() * y.norm();
  const double shift = std::max(0.0, -2 * eigenpairs(core).values[0]) + rounding;
  y += shift * w;
  core.diagonal().array() += shift;
  solve_on_the_right(cholesky(core), y);

  // A + shift ~ y y^T = q r r^T q^T, whose small eigenvalues are rounded by less than the shift is.
  const auto [q, r] = orthonormal(y);
  const auto [values, vectors] = eigenpairs(outer_product(r, r));
  return {product(q, vectors.rowwise().reverse()),
          (values.reverse().array() - shift).max(0).matrix()};
}

}  // namespace pinn
