#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "autograd/core/least_squares.h"
#include "autograd/tape/tensor.h"

namespace pinn {

// Vectors of this room are float64 tensors [P]. Whatever sums over P sums in an order fixed here:
// Eigen's sums depend on where an array happens to begin in memory, and a resumed run would differ
// in the last bits. Elementwise expressions of Eigen do not.

using ArrayMap = Eigen::Map<Eigen::ArrayXd>;

/// The elements of a contiguous float64 tensor, for elementwise expressions.
inline ArrayMap array(const Tensor& t) {
  const std::span<double> x = t.data<double>();
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

/// sum a_i b_i over n elements, in 16 interleaved partial sums and a tree over them.
double dot(const double* a, const double* b, std::size_t n);
double dot(const Tensor& a, const Tensor& b);
double norm(const Tensor& a);
/// max |a_i|; NaN if any element is.
double largest(const Tensor& a);
/// sum |a_i|
double absolute_sum(const Tensor& a);

/// A fresh tensor [P] with the values of an elementwise expression.
template <class Expression> Tensor vector_of(const Expression& values) {
  const Tensor result = empty({static_cast<std::int64_t>(values.size())});
  array(result) = values;
  return result;
}

/// A step, and by how much it lowers |J s + R|^2 + ridge |s|^2.
struct PlannedStep {
  Eigen::VectorXd d;
  double predicted = 0;
};

/// The best of all sums of some directions, at parameters p with the rows r. Zeros, predicted to
/// lower nothing, where the directions are.
///
///   cost  a product with J for each direction
PlannedStep best_sum(LeastSquares& squares, std::span<const double> p, std::span<const double> r,
                     std::vector<Eigen::VectorXd> along, double ridge);

}  // namespace pinn
