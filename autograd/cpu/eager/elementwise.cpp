#include "autograd/cpu/eager/kernels.h"

#include <algorithm>
#include <array>
#include <vector>

#include "autograd/ops/elementwise.h"

namespace pinn::cpu {
namespace {

/// A loop nest over several operands.
template <int operands> struct Nest : JoinedAxes<operands> {
  using JoinedAxes<operands>::JoinedAxes, JoinedAxes<operands>::rank, JoinedAxes<operands>::size,
      JoinedAxes<operands>::stride;

  /// f(offsets) for every innermost row.
  template <class F> void rows(F&& f) const {
    std::array<std::int64_t, operands> at{};
    Sizes index{};
    const int last = rank - 1;
    while (true) {
      f(at);
      int axis = last - 1;
      for (; axis >= 0; --axis) {
        for (int k = 0; k < operands; ++k) at[k] += stride[k][axis];
        if (++index[axis] < size[axis]) break;
        index[axis] = 0;
        for (int k = 0; k < operands; ++k) at[k] -= stride[k][axis] * size[axis];
      }
      if (axis < 0) return;
    }
  }
  std::int64_t inner() const { return size[rank - 1]; }
  std::int64_t step(int operand) const { return stride[operand][rank - 1]; }
};

/// One row of z = Op(x, y), with the common strides as loops of their own.
template <class Op, class T>
void row(const T* x, std::int64_t sx, const T* y, std::int64_t sy, T* z, std::int64_t n) {
  if (sx == 1 && sy == 1)
    for (std::int64_t i = 0; i < n; ++i) z[i] = Op::value(x[i], y[i]);
  else if (sx == 1 && sy == 0)
    for (std::int64_t i = 0; i < n; ++i) z[i] = Op::value(x[i], *y);
  else if (sx == 0 && sy == 1)
    for (std::int64_t i = 0; i < n; ++i) z[i] = Op::value(*x, y[i]);
  else
    for (std::int64_t i = 0; i < n; ++i) z[i] = Op::value(x[i * sx], y[i * sy]);
}

template <class T, class F>
void into(const Shape& shape, const Strided& x, void* y, const Sizes& y_strides, F&& f) {
  const Nest<2> nest(shape, {x.strides, y_strides});
  nest.rows([&](const auto& at) {
    const T* from = static_cast<const T*>(x.data) + at[0];
    T* to = static_cast<T*>(y) + at[1];
    for (std::int64_t i = 0; i < nest.inner(); ++i) f(to[i * nest.step(1)], from[i * nest.step(0)]);
  });
}

/// y += x, row by row, in double precision.
template <class T> void add_rows(const Nest<2>& nest, const T* x, double* y) {
  nest.rows([&](const auto& at) {
    const T* a = x + at[0];
    double* b = y + at[1];
    const std::int64_t n = nest.inner(), sx = nest.step(0), sy = nest.step(1);
    if (sy != 0) {
      for (std::int64_t i = 0; i < n; ++i) b[i * sy] += a[i * sx];
      return;
    }
    // Eight partial sums: vectorizable, and in a fixed order.
    std::array<double, 8> part{};
    std::int64_t i = 0;
    for (; i + 8 <= n; i += 8)
      for (int k = 0; k < 8; ++k) part[k] += a[(i + k) * sx];
    for (int k = 0; i < n; ++i, ++k) part[k] += a[i * sx];
    *b += ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
  });
}

}  // namespace

void binary(int op, DType dtype, const Shape& shape, const Strided& x, const Strided& y, void* z,
            Host) {
  if (shape.numel() == 0) return;
  const Nest<3> nest(shape, {x.strides, y.strides, contiguous_strides(shape)});
  visit_floating(dtype, [&](auto t) {
    using T = decltype(t);
    visit_binary(op, [&]<class Op>() {
      nest.rows([&](const auto& at) {
        row<Op, T>(static_cast<const T*>(x.data) + at[0], nest.step(0),
                   static_cast<const T*>(y.data) + at[1], nest.step(1), static_cast<T*>(z) + at[2],
                   nest.inner());
      });
    });
  });
}

void ternary(int op, DType dtype, const Shape& shape, const Strided& a, const Strided& b,
             const Strided& c, void* y, Host) {
  if (shape.numel() == 0) return;
  const Nest<4> nest(shape, {a.strides, b.strides, c.strides, contiguous_strides(shape)});
  visit_floating(dtype, [&]<class T>(T) {
    visit(Ternary{}, op, [&]<class Op>() {
      nest.rows([&](const auto& at) {
        const T* first = static_cast<const T*>(a.data) + at[0];
        const T* second = static_cast<const T*>(b.data) + at[1];
        const T* third = static_cast<const T*>(c.data) + at[2];
        T* to = static_cast<T*>(y) + at[3];
        for (std::int64_t i = 0; i < nest.inner(); ++i)
          to[i] =
              Op::value(first[i * nest.step(0)], second[i * nest.step(1)], third[i * nest.step(2)]);
      });
    });
  });
}

void copy(DType from, DType to, const Shape& shape, const Strided& x, void* y, Host) {
  if (shape.numel() == 0) return;
  const Nest<2> nest(shape, {x.strides, contiguous_strides(shape)});
  visit_dtype(from, [&](auto source) {
    visit_dtype(to, [&](auto target) {
      using S = decltype(source);
      using T = decltype(target);
      nest.rows([&](const auto& at) {
        const S* a = static_cast<const S*>(x.data) + at[0];
        T* b = static_cast<T*>(y) + at[1];
        if (nest.step(0) == 1)
          for (std::int64_t i = 0; i < nest.inner(); ++i) b[i] = T(a[i]);
        else
          for (std::int64_t i = 0; i < nest.inner(); ++i) b[i] = T(a[i * nest.step(0)]);
      });
    });
  });
}

void add_into(DType dtype, const Shape& shape, const Strided& x, void* y, const Sizes& y_strides,
              Host) {
  if (shape.numel() == 0) return;
  visit_floating(dtype, [&](auto t) {
    using T = decltype(t);
    into<T>(shape, x, y, y_strides, [](T& to, T from) { to += from; });
  });
}

void copy_into(DType dtype, const Shape& shape, const Strided& x, void* y, const Sizes& y_strides,
               Host) {
  if (shape.numel() == 0) return;
  visit_dtype(dtype, [&](auto t) {
    using T = decltype(t);
    into<T>(shape, x, y, y_strides, [](T& to, T from) { to = from; });
  });
}

void sum(DType dtype, const Shape& shape, const Strided& x, void* y, const Sizes& y_strides, Host) {
  std::int64_t size = 1;
  for (int i = 0; i < shape.rank(); ++i) size += (shape[i] - 1) * y_strides[i];
  const auto add = [&](const auto* from, double* sums) {
    std::fill_n(sums, size, 0.0);
    if (shape.numel() > 0) add_rows(Nest<2>(shape, {x.strides, y_strides}), from, sums);
  };
  if (dtype == DType::float64)
    return add(static_cast<const double*>(x.data), static_cast<double*>(y));
  // A million numbers summed in float32 would leave three digits.
  std::vector<double> sums(static_cast<std::size_t>(size));
  add(static_cast<const float*>(x.data), sums.data());
  std::copy(sums.begin(), sums.end(), static_cast<float*>(y));
}

}  // namespace pinn::cpu
