#pragma once
#include <Eigen/Core>
#include <random>

namespace pinn {

inline Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd m(rows, columns);
  for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = normal(random);
  return m;
}

}  // namespace pinn
