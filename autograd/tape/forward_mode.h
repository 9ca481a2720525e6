#pragma once
#include "autograd/tape/functions.h"

/// First derivatives along a direction, carried forward with the values (Griewank and Walther,
/// Evaluating Derivatives, 2008, chapter 3). For high derivatives by coordinates see jets.
namespace pinn {

/// A scope in which tensors can be dual: carry a tangent, which every op passes on. Leaving the
/// scope clears all tangents. Levels belong to a thread and do not nest.
class DualLevel {
 public:
  /// record: how tangents depend on what requires a gradient is recorded like all else, so that
  /// reverse mode can follow; forward over reverse does without. Errors: EngineError inside another
  /// level.
  explicit DualLevel(bool record = true);
  ~DualLevel();
  DualLevel(const DualLevel&) = delete;
};
/// True if one is open on this thread.
bool dual_level_open();

/// x, with its history, carrying a tangent of its shape and dtype; x itself stays as it is. The two
/// share memory: while that counts for a derivative, neither is changed in place.
///
///   errors   EngineError outside a level, for a dtype without derivative, and for a tangent that
///            does not fit or is dual itself
Tensor make_dual(const Tensor& x, const Tensor& tangent);

/// The tangent of y; undefined where it is zero, and outside a level.
Tensor tangent_of(const Tensor& y);

/// f and its derivative along a direction; the tangent is undefined where it is identically zero.
struct Jvp {
  Tensor value, tangent;
};
/// f(inputs) and J_f(inputs) tangents, in a level of its own. An undefined tangent is zero. Both
/// are recorded, so that reverse mode can follow.
Jvp jvp(const TensorFunction& f, const std::vector<Tensor>& inputs,
        const std::vector<Tensor>& tangents);

/// The gradient of a scalar f at x and the product of its Hessian with v: forward over reverse, for
/// about twice the work of the gradient. Neither has history.
struct Hvp {
  Tensor gradient, product;
};
Hvp hvp(const std::function<Tensor(const Tensor&)>& f, const Tensor& x, const Tensor& v);

}  // namespace pinn
