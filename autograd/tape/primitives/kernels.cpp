#include "autograd/tape/primitives/kernels.h"

#include <algorithm>
#include <cstring>

#include "autograd/core/error.h"
#include "autograd/cpu/eager/elementwise.h"
#include "autograd/cpu/eager/float_codes.h"
#include "autograd/cpu/eager/jet.h"
#include "autograd/cpu/eager/unary.h"
#include "autograd/cuda/kernels/elementwise.h"
#include "autograd/cuda/kernels/float_codes.h"
#include "autograd/cuda/kernels/jet.h"
#include "autograd/cuda/kernels/product.h"
#include "autograd/cuda/kernels/reduce.h"
#include "autograd/cuda/memory/storage.h"

namespace pinn::kernels {
namespace {

char* end_of(Storage& bytes) { return static_cast<char*>(bytes.data()) + bytes.bytes(); }

bool on_cpu(const Tensor& t) { return t.device().is_cpu(); }
cuda::Gpu& gpu_of(const Tensor& t) { return cuda::gpu(t.device()); }

/// Strides of t as an operand of a loop over `shape`.
Sizes strides_over(const Shape& shape, const Tensor& t) {
  if (t.shape() == shape) return t.strides();
  Sizes strides{};
  const int shift = shape.rank() - t.rank();
  for (int i = 0; i < t.rank(); ++i)
    if (t.shape()[i] != 1 || shape[i + shift] == 1) strides[i + shift] = t.strides()[i];
  return strides;
}

cpu::Operand host_operand(const Tensor& t, const Shape& shape) {
  return {t.raw(), strides_over(shape, t)};
}

cuda::Operand device_operand(const Tensor& t, const Shape& shape) {
  if (on_cpu(t)) return {nullptr, {}, t.item()};
  return {t.raw(), strides_over(shape, t)};
}
cuda::Operand device_operand(const Tensor& t) { return {t.raw(), t.strides()}; }

void note(const char* op, const Tensor& t, const Tensor*& first) {
  if (!t.defined() || t.is_number()) return;
  if (!first) first = &t;
  if (t.device() == first->device()) return;
  throw EngineError({std::string(op) + ": one tensor is on " + name_of(first->device()) +
                         ", another on " + name_of(t.device()),
                     describe(*first) + " and " + describe(t),
                     "bring them together: x.to(y.device()) copies a tensor"});
}

}  // namespace

Device common_gpu(const char* op, std::initializer_list<const Tensor*> inputs) {
  const Tensor* first = nullptr;
  for (const Tensor* t : inputs) note(op, *t, first);
  return first->device();
}

Device common_device(const char* op, const std::vector<Tensor>& inputs) {
  const Tensor* first = nullptr;
  for (const Tensor& t : inputs) note(op, t, first);
  return first ? first->device() : Device::cpu;
}

void transfer(const Tensor& x, const Tensor& y) {
  const std::size_t bytes = std::size_t(x.numel()) * size_of(x.dtype());
  if (on_cpu(x)) return cuda::upload(gpu_of(y), y.raw(), x.raw(), bytes);
  if (on_cpu(y)) return gpu_of(x).read(y.raw(), x.raw(), bytes);
  const Tensor between = allocate(x.shape(), x.dtype(), Device::cpu);
  transfer(x, between);
  transfer(between, y);
}

void fill(double value, const Tensor& y) {
  if (!on_cpu(y)) return cuda::fill(gpu_of(y), y.dtype(), value, y.raw(), y.numel());
  visit_dtype(y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(static_cast<T*>(y.raw()), y.numel(), T(value));
  });
}

void unary(int id, double parameter, const Tensor& x, const Tensor& y) {
  if (on_cpu(y))
    cpu::unary(id, parameter, x.dtype(), x.raw(), y.raw(), std::size_t(x.numel()));
  else
    cuda::unary(gpu_of(y), id, parameter, x.dtype(), x.raw(), y.raw(), x.numel());
}

void unary_pullback(int id, double parameter, const Tensor& x, const Tensor& y, const Tensor& g,
                    const Tensor& dx) {
  const void *xs = x.defined() ? x.raw() : nullptr, *ys = y.defined() ? y.raw() : nullptr;
  if (on_cpu(dx))
    cpu::unary_pullback(id, parameter, g.dtype(), xs, ys, g.raw(), dx.raw(),
                        std::size_t(g.numel()));
  else
    cuda::unary_pullback(gpu_of(dx), id, parameter, g.dtype(), xs, ys, g.raw(), dx.raw(),
                         g.numel());
}

void binary(int id, const Tensor& x, const Tensor& y, const Tensor& z) {
  const Shape& shape = z.shape();
  if (on_cpu(z))
    cpu::binary(id, z.dtype(), shape, host_operand(x, shape), host_operand(y, shape), z.raw());
  else
    cuda::binary(gpu_of(z), id, z.dtype(), shape, device_operand(x, shape),
                 device_operand(y, shape), z.raw());
}

void ternary(int id, const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& y) {
  const Shape& shape = y.shape();
  if (on_cpu(y))
    cpu::ternary(id, y.dtype(), shape, host_operand(a, shape), host_operand(b, shape),
                 host_operand(c, shape), y.raw());
  else
    cuda::ternary(gpu_of(y), id, y.dtype(), shape, device_operand(a, shape),
                  device_operand(b, shape), device_operand(c, shape), y.raw());
}

void copy(const Tensor& x, const Tensor& y) {
  if (on_cpu(y))
    cpu::copy(x.dtype(), y.dtype(), x.shape(), {x.raw(), x.strides()}, y.raw());
  else
    cuda::copy(gpu_of(y), x.dtype(), y.dtype(), x.shape(), device_operand(x), y.raw());
}

void copy_into(const Tensor& x, const Tensor& y) {
  if (on_cpu(y))
    cpu::copy_into(x.dtype(), x.shape(), contiguous_data(x).raw(), y.raw(), y.strides());
  else
    cuda::copy_into(gpu_of(y), x.dtype(), x.shape(), device_operand(x), y.raw(), y.strides());
}

void add_into(const Tensor& x, const Tensor& y) {
  if (on_cpu(y))
    cpu::add_into(x.dtype(), x.shape(), contiguous_data(x).raw(), y.raw(), y.strides());
  else
    cuda::add_into(gpu_of(y), x.dtype(), x.shape(), device_operand(x), y.raw(), y.strides());
}

void gather(const Tensor& x, int axis, const std::vector<std::int64_t>& indices, const Tensor& y) {
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= y.shape()[i];
  for (int i = axis + 1; i < y.rank(); ++i) inner *= y.shape()[i];
  const std::int64_t size = x.shape()[axis];
  if (!on_cpu(y))
    return cuda::gather(gpu_of(y), x.dtype(), outer, size, inner, indices, x.raw(), y.raw());
  const std::size_t bytes = std::size_t(inner) * size_of(x.dtype());
  char* to = static_cast<char*>(y.raw());
  for (std::int64_t o = 0; o < outer; ++o)
    for (const std::int64_t index : indices) {
      const std::size_t at = std::size_t(o * size + index) * bytes;
      std::copy_n(static_cast<const char*>(x.raw()) + at, bytes, to);
      to += bytes;
    }
}

void sum_to(const Tensor& x, const Tensor& y) {
  Sizes strides{};
  const int shift = x.rank() - y.rank();
  for (int i = 0; i < y.rank(); ++i)
    if (y.shape()[i] == x.shape()[i + shift]) strides[i + shift] = y.strides()[i];
  if (!on_cpu(y))
    return cuda::sum(gpu_of(y), x.dtype(), x.shape(), device_operand(x), y.raw(), strides);
  fill(0, y);
  cpu::sum(x.dtype(), x.shape(), {x.raw(), x.strides()}, y.raw(), strides);
}

void encode(const FloatFormat& format, const Tensor& x, Storage& codes) {
  if (!on_cpu(x))
    return cuda::encode(gpu_of(x), format, x.dtype(), x.raw(), codes.data(), x.numel());
  const std::size_t n = std::size_t(x.numel());
  const double largest = format.needs_scale() ? cpu::largest_finite(x.dtype(), x.raw(), n) : 0;
  const std::int32_t exponent = scale_exponent(format, largest);
  cpu::encode(format, exponent, x.dtype(), x.raw(), codes.data(), n);
  if (format.needs_scale())
    std::memcpy(end_of(codes) - sizeof exponent, &exponent, sizeof exponent);
}

void decode(const FloatFormat& format, Storage& codes, const Tensor& x) {
  if (!on_cpu(x))
    return cuda::decode(gpu_of(x), format, x.dtype(), codes.data(), x.raw(), x.numel());
  std::int32_t exponent = 0;
  if (format.needs_scale())
    std::memcpy(&exponent, end_of(codes) - sizeof exponent, sizeof exponent);
  cpu::decode(format, exponent, x.dtype(), codes.data(), x.raw(), std::size_t(x.numel()));
}

void product(std::int64_t m, std::int64_t n, std::int64_t k, const cpu::Matrix& a,
             const cpu::Matrix& b, const Tensor& y) {
  if (k == 0) return fill(0, y);
  if (on_cpu(y)) return cpu::product(y.dtype(), m, n, k, a, b, y.raw());
  cuda::product(gpu_of(y), y.dtype(), m, n, k, {a.data, a.row, a.column}, {b.data, b.row, b.column},
                y.raw());
}

void jet(int id, double parameter, int k, const JetTable& table, const Tensor& h, const Tensor& y) {
  const std::int64_t points = h.shape()[0], features = h.shape()[2];
  if (on_cpu(y))
    cpu::jet(id, parameter, k, table, h.dtype(), std::size_t(points), std::size_t(features),
             h.raw(), y.raw());
  else
    cuda::jet(gpu_of(y), id, parameter, k, table, h.dtype(), points, features, h.raw(), y.raw());
}

void jet_pullback(int id, double parameter, int k, const JetTable& table, const Tensor& h,
                  const Tensor& ybar, const Tensor& hbar) {
  const std::int64_t points = h.shape()[0], features = h.shape()[2];
  if (on_cpu(hbar))
    cpu::jet_pullback(id, parameter, k, table, h.dtype(), std::size_t(points),
                      std::size_t(features), h.raw(), ybar.raw(), hbar.raw());
  else
    cuda::jet_pullback(gpu_of(hbar), id, parameter, k, table, h.dtype(), points, features, h.raw(),
                       ybar.raw(), hbar.raw());
}

void jet_mul(const JetTable& table, const Tensor& a, const Tensor& b, const Tensor& y) {
  const std::int64_t points = y.shape()[0], na = a.shape()[2], nb = b.shape()[2];
  if (on_cpu(y))
    cpu::jet_mul(table, y.dtype(), std::size_t(points), std::size_t(na), a.raw(), std::size_t(nb),
                 b.raw(), y.raw());
  else
    cuda::jet_mul(gpu_of(y), table, y.dtype(), points, na, a.raw(), nb, b.raw(), y.raw());
}

void jet_mul_transposed(const JetTable& table, const Tensor& g, const Tensor& b, const Tensor& y) {
  const std::int64_t points = y.shape()[0], ng = g.shape()[2], nb = b.shape()[2];
  if (on_cpu(y))
    cpu::jet_mul_transposed(table, y.dtype(), std::size_t(points), std::size_t(ng), g.raw(),
                            std::size_t(nb), b.raw(), y.raw());
  else
    cuda::jet_mul_transposed(gpu_of(y), table, y.dtype(), points, ng, g.raw(), nb, b.raw(),
                             y.raw());
}

}  // namespace pinn::kernels
