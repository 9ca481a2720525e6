#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "autograd/core/descent.h"
#include "autograd/core/least_squares.h"
#include "autograd/core/parallel.h"
#include "autograd/core/random.h"
#include "autograd/core/ranks.h"
#include "autograd/tape/tensor.h"

namespace pinn {

/// All an optimizer may ask of the world, at flat parameters p: a float64 tensor [P].
struct Objective {
  virtual ~Objective() = default;
  virtual double value(const Tensor& p) = 0;
  /// Writes the gradient into `gradient` [P] and returns the value.
  virtual double value_and_gradient(const Tensor& p, Tensor& gradient) = 0;
  /// The optimizer on the device where the gradient is made; null where there is none.
  virtual Descent* descent() { return nullptr; }
  /// The same as a sum of squares, for its rows and products with them; null if it is none.
  virtual LeastSquares* least_squares() { return nullptr; }
  /// The threads that dense algebra may use; null: the calling one. Results do not depend on them.
  virtual ThreadPool* threads() { return nullptr; }
};

/// Memory of an optimizer between moves: named tensors and numbers, so that a resumed run goes on
/// bit for bit. A checkpoint gives all tensors back as float64, of the same values. Of a tensor
/// that ranks share out (memory.h) each has its own part here.
struct OptimizerMemory {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, double> numbers;
  long moves = 0;
};

/// Result of one move.
struct Move {
  double loss = 0;        ///< at the parameters before the move
  double rate = 0;        ///< the step size used
  long evaluations = 1;   ///< of value_and_gradient, and of value
  std::string stopped;    ///< empty, or the honest reason why no further move can be made
  bool diverged = false;  ///< stopped because loss or gradient is not finite where the move began
};

/// Some moves made at once.
struct Moves {
  long count = 0;  ///< the last one included, even if that stopped
  Move last;
};

/// Moves parameters downhill. Holds options only: all that changes is in its arguments.
struct Optimizer {
  virtual ~Optimizer() = default;
  /// Moves p once, in place.
  virtual Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const = 0;
  /// Moves p up to `most` times, to the same place as so many calls of advance but for rounding;
  /// ends with a move that stopped or began with a loss below `enough`. One move, unless the
  /// objective has a descent and the method can use it: then p and memory belong to the descent
  /// from the first call on. p is as it is there after each call, memory only after settle.
  virtual Moves advance_many(Tensor& p, OptimizerMemory& memory, Objective& objective, long most,
                             double enough) const;
  /// Makes memory what it is where advance_many moves.
  virtual void settle(OptimizerMemory&, Objective&) const {}
  /// Tells it that the objective changed (points were redrawn): what it remembers of values and
  /// gradients is stale, what it learned of curvature may stay.
  virtual void objective_changed(OptimizerMemory& memory) const = 0;
  /// Misfit, in words, of a memory from elsewhere, for so many parameters: a tensor of another
  /// shape, a number beyond its bounds, one of two that go together. Empty if moves can go on from
  /// it.
  virtual std::string misfit(const OptimizerMemory& memory, std::int64_t parameters) const = 0;
};

/// A step size over the moves of a stage.
struct ScheduleOptions {
  std::string kind = "constant";  ///< constant | exponential | cosine | inverse_time | step
  long warm_up = 0;               ///< moves of linear growth from 0 at the start, any kind
  double decay = 0.9;             ///< exponential, step: factor; inverse_time: strength
  long every = 1000;              ///< exponential, step, inverse_time: moves per decay
  double final = 0;               ///< cosine: fraction of the rate left at the end
};

struct OptimizerOptions {
  std::string kind = "adam";  ///< one of optimizer_kinds(); kinds.h describes each
  long steps = 10000;         ///< moves in this stage
  double rate = 1e-3;         ///< of kinds with a rate: the step size that the schedule scales
  ScheduleOptions schedule;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;  ///< adam, adamw, soap, muon
  double weight_decay = 0;                            ///< adamw; sgd (as L2)
  double momentum = 0;                                ///< sgd, natural_gradient
  double clip = 0;       ///< with a rate: largest norm of the gradient; 0: none
  int history = 100;     ///< lbfgs: pairs kept
  double tolerance = 0;  ///< stop when the largest gradient component falls below it
  double damping = 0;    ///< second-order methods: at first, or always; 0: the method's own
  bool geodesic = true;  ///< levenberg_marquardt: with the acceleration along the path
  int corrections = 8;   ///< levenberg_marquardt: of a step, at most
  int sketch = 0;        ///< sketched_gauss_newton: rows and columns; 0: a third of the parameters
  int rank = 0;          ///< natural_gradient, nystrom_newton_cg: of what is learned; 0: its own
  int refresh = 0;       ///< soap, kfac, nystrom_newton_cg: moves between decompositions; 0: own
  std::string curvature = "float64";  ///< ssbroyden: number type of the inverse Hessian
  double memory = 4.0 * (1 << 30);    ///< the most bytes a method may need of P parameters
};

/// A matrix among the parameters [rows, columns], row-major; a vector is one row, a number [1, 1].
struct ParameterMatrix {
  std::size_t offset = 0, rows = 1, columns = 1;
};

/// Parameters, rows and ranks that an optimizer is made for.
struct TrainedSize {
  std::size_t parameters = 0;
  std::size_t rows = 0;                        ///< of the least squares; 0: not known
  std::vector<ParameterMatrix> matrices = {};  ///< in order, of all parameters; empty: one vector
  Random random = {};                          ///< what is drawn at a move has its number as draw
  Ranks* ranks = &alone();  ///< that move alike, and share out what a method remembers if it can
};

/// The kinds there are, for whoever reads names from a file.
const std::vector<std::string>& optimizer_kinds();
const std::vector<std::string>& schedule_kinds();

/// Throws ConfigError for an unknown kind, an impossible option, or a size that would need more
/// memory than options.memory.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, const TrainedSize& size);
/// Optimizer of one vector of parameters.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, std::size_t parameters);

}  // namespace pinn
