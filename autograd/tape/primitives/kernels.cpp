#include "autograd/tape/primitives/kernels.h"

#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/cpu/eager/kernels.h"
#include "autograd/cuda/kernels/kernels.h"
#include "autograd/cuda/storage.h"

namespace pinn::kernels {
namespace {

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

/// t as an operand of a loop over `shape`; a number of the CPU stays a number on a GPU.
Strided operand(const Tensor& t, const Shape& shape, Device device) {
  if (t.device() != device) return {nullptr, {}, t.item()};
  return {t.raw(), strides_over(shape, t)};
}
Strided operand(const Tensor& t) { return {t.raw(), t.strides()}; }

/// f(where) with the device that holds y: kernels are found by it, cpu:: by a Host, cuda:: by a
/// Gpu.
template <class F> void on_device_of(const Tensor& y, const F& f) {
  if (on_cpu(y))
    f(cpu::Host());
  else
    f(gpu_of(y));
}

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
  if (!on_cpu(y)) return cuda::fill(y.dtype(), value, y.raw(), y.numel(), gpu_of(y));
  visit_dtype(y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(static_cast<T*>(y.raw()), y.numel(), T(value));
  });
}

void unary(int id, double parameter, const Tensor& x, const Tensor& y) {
  on_device_of(y, [&](auto&& where) {
    unary(id, parameter, x.dtype(), x.raw(), y.raw(), x.numel(), where);
  });
}

void unary_pullback(int id, double parameter, const Tensor& x, const Tensor& y, const Tensor& g,
                    const Tensor& dx) {
  const void *xs = x.defined() ? x.raw() : nullptr, *ys = y.defined() ? y.raw() : nullptr;
  on_device_of(dx, [&](auto&& where) {
    unary_pullback(id, parameter, g.dtype(), xs, ys, g.raw(), dx.raw(), g.numel(), where);
  });
}

void binary(int id, const Tensor& x, const Tensor& y, const Tensor& z) {
  const Strided a = operand(x, z.shape(), z.device()), b = operand(y, z.shape(), z.device());
  on_device_of(z, [&](auto&& where) { binary(id, z.dtype(), z.shape(), a, b, z.raw(), where); });
}

void ternary(int id, const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& y) {
  const auto in = [&](const Tensor& t) { return operand(t, y.shape(), y.device()); };
  on_device_of(y, [&](auto&& where) {
    ternary(id, y.dtype(), y.shape(), in(a), in(b), in(c), y.raw(), where);
  });
}

void copy(const Tensor& x, const Tensor& y) {
  on_device_of(
      y, [&](auto&& where) { copy(x.dtype(), y.dtype(), x.shape(), operand(x), y.raw(), where); });
}

void copy_into(const Tensor& x, const Tensor& y) {
  on_device_of(y, [&](auto&& where) {
    copy_into(x.dtype(), x.shape(), operand(x), y.raw(), y.strides(), where);
  });
}

void add_into(const Tensor& x, const Tensor& y) {
  on_device_of(y, [&](auto&& where) {
    add_into(x.dtype(), x.shape(), operand(x), y.raw(), y.strides(), where);
  });
}

void gather(const Tensor& x, int axis, const std::vector<std::int64_t>& indices, const Tensor& y) {
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= y.shape()[i];
  for (int i = axis + 1; i < y.rank(); ++i) inner *= y.shape()[i];
  const std::int64_t size = x.shape()[axis];
  if (!on_cpu(y))
    return cuda::gather(x.dtype(), outer, size, inner, indices, x.raw(), y.raw(), gpu_of(y));
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
  on_device_of(
      y, [&](auto&& where) { sum(x.dtype(), x.shape(), operand(x), y.raw(), strides, where); });
}

void encode(const FloatFormat& format, const Tensor& x, Storage& codes) {
  on_device_of(
      x, [&](auto&& where) { encode(format, x.dtype(), x.raw(), codes.data(), x.numel(), where); });
}

void decode(const FloatFormat& format, Storage& codes, const Tensor& x) {
  on_device_of(
      x, [&](auto&& where) { decode(format, x.dtype(), codes.data(), x.raw(), x.numel(), where); });
}

void product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b,
             const Tensor& y) {
  on_device_of(y, [&](auto&& where) { product(y.dtype(), m, n, k, a, b, y.raw(), where); });
}

void jet(int id, double parameter, int k, const JetTable& table, const Tensor& h, const Tensor& y) {
  const std::int64_t points = h.shape()[0], features = h.shape()[2];
  on_device_of(y, [&](auto&& where) {
    jet(id, parameter, k, table, h.dtype(), points, features, h.raw(), y.raw(), where);
  });
}

void jet_pullback(int id, double parameter, int k, const JetTable& table, const Tensor& h,
                  const Tensor& ybar, const Tensor& hbar) {
  const std::int64_t points = h.shape()[0], features = h.shape()[2];
  on_device_of(hbar, [&](auto&& where) {
    jet_pullback(id, parameter, k, table, h.dtype(), points, features, h.raw(), ybar.raw(),
                 hbar.raw(), where);
  });
}

void jet_mul(const JetTable& table, bool transposed, const Tensor& a, const Tensor& b,
             const Tensor& y) {
  on_device_of(y, [&](auto&& where) {
    jet_mul(table, transposed, y.dtype(), y.shape()[0], a.shape()[2], a.raw(), b.shape()[2],
            b.raw(), y.raw(), where);
  });
}

}  // namespace pinn::kernels
