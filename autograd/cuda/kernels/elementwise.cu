#include "autograd/cuda/kernels/kernels.h"
#include "autograd/cuda/kernels/launch.cuh"
#include "autograd/cuda/kernels/nest.h"
#include "autograd/cuda/storage.h"
#include "autograd/ops/elementwise.h"

namespace pinn::cuda {
namespace {

/// An operand's elements, by their distance from the first.
template <class T> struct Elements {
  const T* data;
  T number;
  explicit Elements(const Strided& o) : data(static_cast<const T*>(o.data)), number(T(o.number)) {}
  HD T operator[](std::int64_t at) const { return data ? data[at] : number; }
};

template <class T> struct Fill {
  T value;
  T* y;
  HD void operator()(std::int64_t i) const { y[i] = value; }
};

/// y = Op of an element of each operand, which are all of the type From.
template <class Op, class From, class T, int operands> struct Zip {
  Nest<operands> nest;
  Elements<From> x[operands];
  T* y;
  HD void operator()(std::int64_t i) const {
    std::int64_t at[operands];
    nest.find(i, at);
    if constexpr (operands == 1)
      y[i] = Op::value(x[0][at[0]]);
    else if constexpr (operands == 2)
      y[i] = Op::value(x[0][at[0]], x[1][at[1]]);
    else
      y[i] = Op::value(x[0][at[0]], x[1][at[1]], x[2][at[2]]);
  }
};
template <class T> struct ConvertTo {
  template <class From> HD static T value(From x) { return T(x); }
};

template <class T, bool adds> struct Into {
  Nest<2> nest;
  Elements<T> x;
  T* y;
  HD void operator()(std::int64_t i) const {
    std::int64_t at[2];
    nest.find(i, at);
    if constexpr (adds)
      y[at[1]] += x[at[0]];
    else
      y[at[1]] = x[at[0]];
  }
};

/// Elements along an axis, by their indices.
template <class T> struct Picked {
  std::int64_t size, inner, count;  ///< of x along the axis; elements side by side; indices
  const std::int64_t* indices;
  const T* x;
  T* y;
  HD void operator()(std::int64_t i) const {
    const std::int64_t n = i % inner, which = i / inner % count, outer = i / inner / count;
    y[i] = x[(outer * size + indices[which]) * inner + n];
  }
};

template <class Op, class T> struct Map {
  double parameter;
  const T* x;
  T* y;
  HD void operator()(std::int64_t i) const { y[i] = value_of<Op>(x[i], parameter); }
};

template <class Op, class T> struct MapPullback {
  double parameter;
  const T *x, *y, *dy;
  T* dx;
  HD void operator()(std::int64_t i) const {
    dx[i] = pullback_of<Op>(Op::uses_x ? x[i] : T(0), Op::uses_y ? y[i] : T(0), dy[i], parameter);
  }
};

template <class Op, class From, class T, class... X>
void zip(const Shape& shape, void* y, Gpu& gpu, const X&... x) {
  constexpr int operands = sizeof...(x);
  const Nest<operands> nest(shape, {x.strides...});
  for_each(gpu, nest.count(),
           Zip<Op, From, T, operands>{nest, {Elements<From>(x)...}, static_cast<T*>(y)});
}

template <class T, bool adds>
void into(const Shape& shape, const Strided& x, void* y, const Sizes& y_strides, Gpu& gpu) {
  const Nest<2> nest(shape, {x.strides, y_strides});
  for_each(gpu, nest.count(), Into<T, adds>{nest, Elements<T>(x), static_cast<T*>(y)});
}

}  // namespace

void fill(DType dtype, double value, void* y, std::int64_t n, Gpu& gpu) {
  visit_dtype(dtype, [&]<class T>(T) { for_each(gpu, n, Fill<T>{T(value), static_cast<T*>(y)}); });
}

void unary(int op, double parameter, DType dtype, const void* x, void* y, std::int64_t n,
           Gpu& gpu) {
  visit_floating(dtype, [&]<class T>(T) {
    visit_unary(op, [&]<class Op>() {
      for_each(gpu, n, Map<Op, T>{parameter, static_cast<const T*>(x), static_cast<T*>(y)});
    });
  });
}

void unary_pullback(int op, double parameter, DType dtype, const void* x, const void* y,
                    const void* dy, void* dx, std::int64_t n, Gpu& gpu) {
  visit_floating(dtype, [&]<class T>(T) {
    visit_unary(op, [&]<class Op>() {
      for_each(gpu, n,
               MapPullback<Op, T>{parameter, static_cast<const T*>(x), static_cast<const T*>(y),
                                  static_cast<const T*>(dy), static_cast<T*>(dx)});
    });
  });
}

void binary(int op, DType dtype, const Shape& shape, const Strided& x, const Strided& y, void* z,
            Gpu& gpu) {
  visit_floating(dtype, [&]<class T>(T) {
    visit_binary(op, [&]<class Op>() { zip<Op, T, T>(shape, z, gpu, x, y); });
  });
}

void ternary(int op, DType dtype, const Shape& shape, const Strided& a, const Strided& b,
             const Strided& c, void* y, Gpu& gpu) {
  visit_floating(dtype, [&]<class T>(T) {
    visit(Ternary{}, op, [&]<class Op>() { zip<Op, T, T>(shape, y, gpu, a, b, c); });
  });
}

void copy(DType from, DType to, const Shape& shape, const Strided& x, void* y, Gpu& gpu) {
  visit_dtype(from, [&]<class From>(From) {
    visit_dtype(to, [&]<class To>(To) { zip<ConvertTo<To>, From, To>(shape, y, gpu, x); });
  });
}

void add_into(DType dtype, const Shape& shape, const Strided& x, void* y, const Sizes& y_strides,
              Gpu& gpu) {
  visit_floating(dtype, [&]<class T>(T) { into<T, true>(shape, x, y, y_strides, gpu); });
}

void copy_into(DType dtype, const Shape& shape, const Strided& x, void* y, const Sizes& y_strides,
               Gpu& gpu) {
  visit_dtype(dtype, [&]<class T>(T) { into<T, false>(shape, x, y, y_strides, gpu); });
}

void gather(DType dtype, std::int64_t outer, std::int64_t size, std::int64_t inner,
            const std::vector<std::int64_t>& indices, const void* x, void* y, Gpu& gpu) {
  const std::int64_t count = std::int64_t(indices.size());
  const auto on_device = uploaded(gpu, indices.data(), indices.size() * sizeof(std::int64_t));
  visit_dtype(dtype, [&]<class T>(T) {
    for_each(gpu, outer * count * inner,
             Picked<T>{size, inner, count, static_cast<const std::int64_t*>(on_device.get()),
                       static_cast<const T*>(x), static_cast<T*>(y)});
  });
}

}  // namespace pinn::cuda
