#pragma once
#include <memory>
#include <span>

#include "solvers/residual/forms.h"
#include "solvers/residual/loss.h"

namespace pinn {

class PartProducts;
class StepCache;

/// One requirement's share of a step: its residuals at its points, their squares and the gradient
/// of those. Points are worked on in blocks; what a block contributes is a list of sums.
class LossPart {
 public:
  virtual ~LossPart() = default;

  /// Takes new points instead of those it has.
  virtual void set_points(PointSet points) = 0;
  virtual std::size_t points() const = 0;
  virtual std::size_t blocks() const = 0;

  /// Once per step, before its blocks: the parameters, and whether the gradient is wanted. Returns
  /// how many numbers a block contributes.
  virtual std::size_t prepare(std::span<const double> p, bool with_gradient) = 0;
  /// Adds what blocks first ... last - 1 contribute; threads may each run some.
  virtual void run(std::size_t first, std::size_t last, std::span<double> sums) = 0;
  /// Once all blocks are summed: adds up squares, without weights, one per residual; adds to the
  /// gradient unless it is empty.
  virtual void finish(std::span<double> sums, std::span<double> squares,
                      std::span<double> gradient) = 0;

  /// Operations in matrix products of a step at each point; NaN when unknown.
  virtual double product_flops(bool with_gradient) const = 0;

  /// Products with its Jacobian and Hessian (products.h), at the points it has now.
  virtual PartProducts& products() = 0;
};

/// What a part needs to know. The gradient is that of sum_k weights[k] / points * squares[k].
struct PartOptions {
  std::shared_ptr<const Model> model;
  std::size_t requirement = 0;
  DType dtype = DType::float64;
  Derivatives derivatives = Derivatives::taylor;
  std::vector<double> weights;
  std::shared_ptr<const SavedPolicy> saved = {};  ///< null: all is kept
  std::size_t block = 0;                          ///< points per block; 0: as many as fit
  std::shared_ptr<StepCache> cache = {};          ///< of a compiled part
  Device device = Device::cpu;
  Products products = Products::exact;  ///< of compiled steps in float32
};

/// Runs op by op on the tape: the definition of what a step computes.
std::unique_ptr<LossPart> eager_part(PartOptions options);
/// Traces and plans the step once, or finds it in the cache, then runs it block by block; or on a
/// GPU, all points at once.
std::unique_ptr<LossPart> compiled_part(PartOptions options);

/// Moves the model's parameters where all these parts are evaluated, with their points of now; null
/// unless they are compiled and on a GPU.
std::unique_ptr<Descent> descent_of(std::span<const std::unique_ptr<LossPart>> parts,
                                    const Model& model);

}  // namespace pinn
