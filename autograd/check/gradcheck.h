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

// The Jacobian of a function by one of its inputs, made in the ways that gradcheck compares.

/// [elements of the input][elements of the output]: a column of the Jacobian is one row here.
using Columns = std::vector<std::vector<double>>;

/// A function, where it is looked at, and the input it is differentiated by.
struct JacobianTask {
  const TensorFunction& f;
  const std::vector<Tensor>& inputs;
  std::size_t input;

  const Tensor& x() const { return inputs[input]; }
};

/// f where x is moved by u, as values; x has its own bits again afterwards.
/// Errors: EngineError when the output has not the shape and dtype of `like`.
std::vector<double> moved(const JacobianTask& task, std::span<const double> u, const Tensor& like);

/// The step of central differences at an element x: `step`, or where that is 0, the cube root of
/// the machine's epsilon times max(1, |x|).
double difference_step(double step, double x);

Columns by_differences(const JacobianTask& task, double step);
/// One backward pass per row, with seeds of 0 and `one`. Errors: EngineError when a gradient has
/// not the shape and dtype of its input.
Columns by_reverse(const JacobianTask& task, double one = 1);
/// One batched backward pass for all rows.
Columns by_batched_reverse(const JacobianTask& task);
/// One tangent per column.
Columns by_forward(const JacobianTask& task);

}  // namespace pinn
