#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "autograd/core/parallel.h"
#include "autograd/core/random.h"

namespace pinn {

/// s orthonormal directions at random among P: random signs, a Walsh-Hadamard transform padded to a
/// power of two, s of its numbers. No matrix is formed.
///
///   cost    P' log2 P' additions a row, P' the power of two not below P
///   source  Tropp (2011), Improved analysis of the subsampled randomized Hadamard transform
class RandomDirections {
 public:
  RandomDirections(std::size_t parameters, std::size_t directions, const Random& random);

  std::size_t count() const { return chosen_.size(); }
  /// row [P] times the directions, to `sketched` [s]; `room` is used up.
  void sketch(const double* row, std::vector<double>& room, double* sketched) const;
  /// The directions times y [s]: a vector [P].
  Eigen::VectorXd lift(const Eigen::VectorXd& y) const;

 private:
  std::vector<double> signs_;  ///< with the factor that makes directions orthonormal
  std::vector<std::uint32_t> chosen_;
  std::size_t padded_ = 1;
};

/// Rows [rows, columns] added up into fewer: each goes to four of them, with random signs, so that
/// lengths are kept on average.
///
///   source  Nelson & Nguyen (2013), OSNAP: faster numerical linear algebra algorithms via sparser
///           subspace embeddings
Eigen::MatrixXd count_sketch(std::span<const double> rows, std::size_t columns, std::size_t into,
                             const Random& random, ThreadPool* threads);

}  // namespace pinn
