#pragma once
#include <memory>
#include <span>
#include <vector>

#include "autograd/core/descent.h"
#include "autograd/core/least_squares.h"
#include "autograd/core/parallel.h"
#include "solvers/residual/loss/options.h"

namespace pinn {

class PartTable;
class Evaluation;
class LossSquares;

/// The loss of a problem at parameters p: L = sum_r w_r mean_i a_i r(x_i)^2 over all residuals r;
/// the weights a_i of points are 1 unless the points bring some. Its bits do not depend on the
/// number of threads and ranks. Memory does not grow with the number of points.
class Loss {
 public:
  Loss(std::shared_ptr<const Model> model, const LossOptions& options, ThreadPool& pool);
  ~Loss();

  /// Gives requirement `r` its points; all need some before the first value. Errors: ConfigError
  /// for none; ShapeError for weights that do not fit.
  void set_points(std::size_t r, PointSet points);
  /// Takes the points of requirement `r` away, to make room for others.
  void drop_points(std::size_t r);

  const std::vector<LossTerm>& terms() const;
  ThreadPool& threads() { return pool_; }
  std::size_t points() const;
  std::size_t points(std::size_t r) const;  ///< of requirement r
  std::size_t rows(std::size_t r) const;    ///< of each of its terms: as many, but one of integrals
  /// How many weights the points of requirement r came with.
  std::size_t point_weights(std::size_t r) const;

  /// Other weights w of the terms, and of requirement `r` other weights a of its points, which came
  /// with as many. Nothing is traced again. Errors: ShapeError for another number of weights.
  void set_weights(std::span<const double> weights);
  void set_point_weights(std::size_t r, std::span<const double> weights);

  /// The unit vectors that Laplacians are estimated along from now on, [directions, coordinates];
  /// needed before the first value where the options ask for directions.
  void set_directions(std::span<const double> vectors);

  struct Result {
    double total = 0;
    std::vector<double> terms;  ///< means of a_i r_i^2, in the order of terms()
  };
  Result value(std::span<const double> p);
  /// Also writes dL/dp.
  Result value_and_gradient(std::span<const double> p, std::span<double> gradient);
  /// The largest |r(x_i)| of each term, NaN for one of weight 0; a point's own weight a_i counts as
  /// its root.
  std::vector<double> largest(std::span<const double> p);

  /// The same as a sum of squares, for second-order methods; lives as long as this.
  LeastSquares& squares();

  /// The optimizer on the device where the loss is evaluated, with the points and weights of now;
  /// null where there is none. It lives until others come.
  Descent* descent();
  /// Counts moves of the descent as work.
  void count_moves(std::size_t moves);

  /// Work of all evaluations since the loss was made.
  using Work = LossWork;
  const Work& work() const;

 private:
  Result loss(bool with_gradient, std::span<const double> p, std::span<double> gradient);
  void forget_points();

  ThreadPool& pool_;
  std::unique_ptr<PartTable> parts_;
  std::unique_ptr<Evaluation> evaluation_;
  std::unique_ptr<LossSquares> squares_;
  std::unique_ptr<Descent> descent_;  ///< uses the parts
  std::vector<double> scratch_;
};

}  // namespace pinn
