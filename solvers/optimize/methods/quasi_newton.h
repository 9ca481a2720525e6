#pragma once
#include <set>

#include "solvers/optimize/methods/line_search.h"
#include "solvers/optimize/optimizer.h"

namespace pinn {

/// One accepted move: s = step d, and how the gradient changed along it.
struct Accepted {
  double step = 0;   ///< t
  double slope = 0;  ///< g.d before the move
  Tensor s, y;       ///< t d, and g_new - g [P]
  Tensor gradient;   ///< g_new [P]
};

/// Common part of lbfgs and ssbroyden: a direction from learned curvature, the Wolfe search, the
/// learning.
///
/// A move asks for a direction and searches along it; when that finds nothing lower, it forgets the
/// curvature and searches along the steepest descent; when that fails as well, it stops and says
/// so, leaving p alone. The value and gradient of the accepted point are kept, so most moves cost
/// one evaluation.
///
///   memory  "gradient" [P], numbers "value"; absent when they must be computed anew
class QuasiNewton : public Optimizer {
 public:
  explicit QuasiNewton(const OptimizerOptions& options) : options_(options) {}
  Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const override;
  void objective_changed(OptimizerMemory& memory) const override;
  std::string misfit(const OptimizerMemory& memory, std::int64_t parameters) const override;

 protected:
  /// -H g for the learned inverse Hessian H; H = I when nothing is learned.
  virtual Tensor direction(const OptimizerMemory& memory, const Tensor& gradient,
                           ThreadPool* threads) const = 0;
  virtual bool has_learned(const OptimizerMemory& memory) const = 0;
  virtual void learn(OptimizerMemory& memory, const Accepted& move, ThreadPool* threads) const = 0;
  virtual void forget(OptimizerMemory& memory) const = 0;
  /// The first trial of the search along a direction with that slope.
  virtual double first_step(const OptimizerMemory& memory, double value, double slope,
                            const Tensor& gradient) const = 0;
  /// Decides what stays of the learned curvature when the objective has changed.
  virtual void review(OptimizerMemory& memory) const = 0;
  /// Adds what the learned curvature may consist of; what is wrong with it beyond that.
  virtual std::string misfit_of_curvature(const OptimizerMemory& memory, std::int64_t parameters,
                                          std::map<std::string, Shape>& tensors,
                                          std::set<std::string>& numbers) const = 0;

  const OptimizerOptions options_;

 private:
  /// Searches along the direction and moves p; false when nothing lower was found.
  bool descend(Tensor& p, OptimizerMemory& memory, Objective& objective, Move& move) const;
};

}  // namespace pinn
