#pragma once
#include <string>
#include <vector>

#include "autograd/tape/functions.h"

namespace pinn {

struct GradcheckOptions {
  double step = 1e-6;      ///< of the central differences; 0: cbrt(epsilon) max(1, |x|) per element
  double absolute = 1e-5;  ///< |numerical - analytical| <= absolute + relative |numerical|
  double relative = 1e-3;
  bool fast = false;    ///< compare v^T J u for one random u and v instead of all elements of J
  bool batched = true;  ///< also all rows in one batched pass; off for tensors of four axes
  bool forward = true;  ///< also the tangents; off where an op has no tangent rule
};

/// Compares the Jacobian that backward passes give, row by row, with central differences, column by
/// column, in float64. Further: two runs give the same bits, a zero seed gives zero gradients,
/// undefined ones pass through every node, one batched pass gives all rows, and tangents are the
/// columns. Returns an empty text, or which output and input differ and both matrices. The fast
/// mode evaluates f twice per input and once more, runs one backward pass, and only when that fails
/// all of the above.
///
///   inputs   float64; those that require a gradient are checked, and are bit-identical afterwards
///   errors   EngineError for inputs that are not float64 or overlap themselves, and for an f whose
///            output's shape depends on the values of its inputs
std::string gradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs,
                      const GradcheckOptions& options = {});

/// gradcheck of (x, v) -> v^T J_f(x), by x and by v: the derivative of the derivative, in reverse
/// and by forward over reverse; of the same with a strided v; and of (x, u) -> J_f(x) u, reverse
/// over forward.
std::string gradgradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});

}  // namespace pinn
