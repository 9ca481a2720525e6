#pragma once
#include "autograd/tape/functions.h"

/// The Jacobian of a function by one of its inputs, made in the ways that gradcheck compares.
namespace pinn {

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
