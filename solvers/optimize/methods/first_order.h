#pragma once
#include "solvers/optimize/optimizer.h"

namespace pinn {

/// Moves of one evaluation each, by a rule of the gradient: clipping, a schedule, and honest stops.
///
/// A loss or gradient that is not finite stops it, and p goes back to where it was before the move
/// that spoiled it (memory "previous"). What a rule remembers is zeros before the first move.
class FirstOrder : public Optimizer {
 public:
  explicit FirstOrder(const OptimizerOptions& options) : options_(options) {}
  Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const override;
  void objective_changed(OptimizerMemory&) const override {}  // remembers no value and no gradient
  std::string misfit(const OptimizerMemory& memory, std::int64_t parameters) const override;

 protected:
  const OptimizerOptions& options() const { return options_; }
  /// Judges where a move began, by its loss and the gradient's largest component.
  void judge(Move& move, double largest) const;

 private:
  /// Moves p by a gradient that may be clipped; memory.moves moves were made before.
  virtual void step(Tensor& p, const Tensor& gradient, OptimizerMemory& memory,
                    ThreadPool* threads) const = 0;
  /// The tensors that the rule remembers, of so many parameters.
  virtual std::map<std::string, Shape> remembers(std::int64_t parameters) const = 0;

  const OptimizerOptions options_;
};

/// Scales the gradient so that its Euclidean norm is at most `limit`.
void clip(Tensor& gradient, double limit);

/// The tensor of that name, made of zeros the first time.
Tensor& remembered(OptimizerMemory& memory, const std::string& name, const Shape& shape);

/// The numbers of move k = 0, 1, ... of a stage.
using MoveRule = DescentMove (*)(const OptimizerOptions& options, long move);

/// Adam's, with decoupled weight decay.
DescentMove adam_numbers(const OptimizerOptions& options, long move);

/// Adam and gradient descent: every parameter moves by its own numbers, wherever they are. What the
/// rule remembers has these names.
class ByElement : public FirstOrder {
 public:
  ByElement(const OptimizerOptions& options, MoveRule rule, std::vector<std::string> names)
      : FirstOrder(options), rule_(rule), names_(std::move(names)) {}
  Moves advance_many(Tensor& p, OptimizerMemory& memory, Objective& objective, long most,
                     double enough) const override;
  void settle(OptimizerMemory& memory, Objective& objective) const override;

 private:
  void step(Tensor& p, const Tensor& gradient, OptimizerMemory& memory,
            ThreadPool* threads) const override;
  std::map<std::string, Shape> remembers(std::int64_t parameters) const override;
  void put(Descent& there, const Tensor& p, const OptimizerMemory& memory) const;

  const MoveRule rule_;
  const std::vector<std::string> names_;
};

}  // namespace pinn
