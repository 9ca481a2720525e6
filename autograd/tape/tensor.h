#pragma once
#include <iosfwd>
#include <span>
#include <string>

#include "autograd/core/random.h"
#include "autograd/tape/body.h"
#include "autograd/tape/handle.h"

namespace pinn {

// Tensors with given elements; none has history.
Tensor empty(const Shape& shape, DType dtype = DType::float64, Device device = {});
Tensor full(const Shape& shape, double value, DType dtype = DType::float64, Device device = {});
inline Tensor zeros(const Shape& shape, DType dtype = DType::float64, Device device = {}) {
  return full(shape, 0, dtype, device);
}
inline Tensor ones(const Shape& shape, DType dtype = DType::float64, Device device = {}) {
  return full(shape, 1, dtype, device);
}
/// Zeros of x's shape, dtype and device.
inline Tensor zeros_like(const Tensor& x) { return zeros(x.shape(), x.dtype(), x.device()); }
inline Tensor ones_like(const Tensor& x) { return ones(x.shape(), x.dtype(), x.device()); }
/// Copies the values, converting them. Errors: ShapeError when their number does not fit.
Tensor from_values(std::span<const double> values, const Shape& shape, DType dtype = DType::float64,
                   Device device = {});
inline Tensor from_values(std::initializer_list<double> values, const Shape& shape,
                          DType dtype = DType::float64, Device device = {}) {
  return from_values(std::span<const double>(values.begin(), values.size()), shape, dtype, device);
}

/// Standard normal deviates: element i, in row-major order, is random.normal(i). The same `random`
/// gives the same numbers, whatever was drawn before: randn({3, 4}, {.seed = 1, .draw = 2}).
Tensor randn(const Shape& shape, const Random& random, DType dtype = DType::float64,
             Device device = {});

/// "float64 [3, 4]", and "on cuda:0" where it is not the CPU; for messages.
std::string describe(const Tensor& t);

/// The description and, below it, the numbers to six digits; of a long axis of a tensor of more
/// than a hundred elements the first three and the last three. Waits for a GPU that works on it.
std::string to_string(const Tensor& t);
std::ostream& operator<<(std::ostream& out, const Tensor& t);

/// Tensors alive in the whole process, for tests of leaks.
std::int64_t live_tensors();

}  // namespace pinn
