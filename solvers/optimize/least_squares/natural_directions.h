#pragma once
#include <Eigen/Core>
#include <memory>

#include "autograd/core/random.h"
#include "solvers/optimize/dense/bands.h"
#include "solvers/optimize/optimizer.h"

namespace pinn {

/// Natural gradients at one point, of rows R with the matrix J: d = (J^T J + damping I)^-1 J^T R,
/// and the same vector in sample space, d = J^T (J J^T + damping I)^-1 R.
///
/// Dampings are relative to the trace of J J^T, which is the mean of |gradient of a residual|^2
/// over the points: it depends neither on their number nor on the unit of the loss.
class NaturalDirections {
 public:
  virtual ~NaturalDirections() = default;

  /// Makes a damping the one of now; false where it is too small to be resolved.
  virtual bool damp(double damping, ThreadPool* threads) = 0;
  /// d; with `kept` [parameters], unless that is empty, it is what d becomes when it starts there:
  /// the least |J d - R|^2 + damping |d - kept|^2.
  virtual Eigen::VectorXd direction(const Eigen::VectorXd& kept) = 0;

  long evaluations = 0;  ///< asked of the rows, up to now
};

/// Rows of J that are in memory at a time in the space of the parameters.
inline constexpr std::size_t natural_rows = 960;

/// In the space of the parameters, from J^T J, which ranks share out.
///
///   cost  rows P^2 flops, and P^3/3 a damping
std::unique_ptr<NaturalDirections> natural_of_parameters(LeastSquares& squares,
                                                         std::span<const double> p,
                                                         std::span<const double> r,
                                                         const Workers& workers);

/// In the space of the rows, from K = J J^T; J itself is never formed.
///
///   cost  K, which is on every rank at first, and rows^3/3 flops a damping
std::unique_ptr<NaturalDirections> natural_of_rows(LeastSquares& squares, std::span<const double> p,
                                                   std::span<const double> r, Ranks& ranks);

/// The same with a Nystrom approximation of K; what that does not see counts as its smallest
/// eigenvalue.
///
///   cost  2 rank products with J and J^T, or K and 2 rows^2 rank flops where `from_gram`
std::unique_ptr<NaturalDirections> natural_of_rank(LeastSquares& squares, std::span<const double> p,
                                                   std::span<const double> r, std::size_t rank,
                                                   bool from_gram, const Random& random);

}  // namespace pinn
