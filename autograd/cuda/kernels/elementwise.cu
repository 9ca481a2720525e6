#include "autograd/cuda/kernels/elementwise.h"

#include "autograd/cuda/kernels/launch.cuh"
#include "autograd/cuda/kernels/nest.h"
#include "autograd/cuda/memory/storage.h"
#include "autograd/ops/elementwise.h"

namespace pinn::cuda {
namespace {

/// An operand's elements, by their distance from the first.
template <class T> struct Elements {
  const T* data;
  T number;
  explicit Elements(const Operand& o) : data(static_cast<const T*>(o.data)), number(T(o.number)) {}
  HD T operator[](std::int64_t at) const { return data ? data[at] : number; }
};

template <class T> struct Fill {
  T value;
  T* y;
  HD void operator()(std::int64_t i) const { y[i] = value; }
};

template <class Op, class T> struct Zip {
  Nest<2> nest;
  Elements<T> x, y;
  T* z;
  HD void operator()(std::int64_t i) const {
    std::int64_t at[2];
    nest.find(i, at);
    z[i] = Op::value(x[at[0]], y[at[1]]);
  }
};

template <class Op, class T> struct Zip3 {
  Nest<3> nest;
  Elements<T> a, b, c;
  T* y;
  HD void operator()(std::int64_t i) const {
    std::int64_t at[3];
    nest.find(i, at);
    y[i] = Op::value(a[at[0]], b[at[1]], c[at[2]]);
  }
};

template <class From, class To> struct Convert {
  Nest<1> nest;
  Elements<From> x;
  To* y;
  HD void operator()(std::int64_t i) const {
    std::int64_t at[1];
    nest.find(i, at);
    y[i] = To(x[at[0]]);
  }
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

template <class T> struct Gather {
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
    dx[i] = slope_of<Op>(Op::uses_x ? x[i] : T(0), Op::uses_y ? y[i] : T(0), parameter) * dy[i];
  }
};

}  // namespace

void fill(Gpu& gpu, DType dtype, double value, void* y, std::int64_t n) {
  visit_dtype(dtype, [&]<class T>(T) { for_each(gpu, n, Fill<T>{T(value), static_cast<T*>(y)}); });
}

void unary(Gpu& gpu, int op, double parameter, DType dtype, const void* x, void* y,
           std::int64_t n) {
  visit_floating(dtype, [&]<class T>(T) {
    visit_unary(op, [&]<class Op>() {
      for_each(gpu, n, Map<Op, T>{parameter, static_cast<const T*>(x), static_cast<T*>(y)});
    });
  });
}

void unary_pullback(Gpu& gpu, int op, double parameter, DType dtype, const void* x, const void* y,
                    const void* dy, void* dx, std::int64_t n) {
  visit_floating(dtype, [&]<class T>(T) {
    visit_unary(op, [&]<class Op>() {
      for_each(gpu, n,
               MapPullback<Op, T>{parameter, static_cast<const T*>(x), static_cast<const T*>(y),
                                  static_cast<const T*>(dy), static_cast<T*>(dx)});
    });
  });
}

void binary(Gpu& gpu, int op, DType dtype, const Shape& shape, const Operand& x, const Operand& y,
            void* z) {
  const Nest<2> nest(shape, {x.strides, y.strides});
  visit_floating(dtype, [&]<class T>(T) {
    visit_binary(op, [&]<class Op>() {
      for_each(gpu, nest.count(),
               Zip<Op, T>{nest, Elements<T>(x), Elements<T>(y), static_cast<T*>(z)});
    });
  });
}

void ternary(Gpu& gpu, int op, DType dtype, const Shape& shape, const Operand& a, const Operand& b,
             const Operand& c, void* y) {
  const Nest<3> nest(shape, {a.strides, b.strides, c.strides});
  visit_floating(dtype, [&]<class T>(T) {
    visit(Ternary{}, op, [&]<class Op>() {
      for_each(
          gpu, nest.count(),
          Zip3<Op, T>{nest, Elements<T>(a), Elements<T>(b), Elements<T>(c), static_cast<T*>(y)});
    });
  });
}

void copy(Gpu& gpu, DType from, DType to, const Shape& shape, const Operand& x, void* y) {
  const Nest<1> nest(shape, {x.strides});
  visit_dtype(from, [&]<class From>(From) {
    visit_dtype(to, [&]<class To>(To) {
      for_each(gpu, nest.count(), Convert<From, To>{nest, Elements<From>(x), static_cast<To*>(y)});
    });
  });
}

void add_into(Gpu& gpu, DType dtype, const Shape& shape, const Operand& x, void* y,
              const Sizes& y_strides) {
  const Nest<2> nest(shape, {x.strides, y_strides});
  visit_floating(dtype, [&]<class T>(T) {
    for_each(gpu, nest.count(), Into<T, true>{nest, Elements<T>(x), static_cast<T*>(y)});
  });
}

void copy_into(Gpu& gpu, DType dtype, const Shape& shape, const Operand& x, void* y,
               const Sizes& y_strides) {
  const Nest<2> nest(shape, {x.strides, y_strides});
  visit_dtype(dtype, [&]<class T>(T) {
    for_each(gpu, nest.count(), Into<T, false>{nest, Elements<T>(x), static_cast<T*>(y)});
  });
}

void gather(Gpu& gpu, DType dtype, std::int64_t outer, std::int64_t size, std::int64_t inner,
            const std::vector<std::int64_t>& indices, const void* x, void* y) {
  const std::int64_t count = std::int64_t(indices.size());
  const auto on_device = uploaded(gpu, indices.data(), indices.size() * sizeof(std::int64_t));
  visit_dtype(dtype, [&]<class T>(T) {
    for_each(gpu, outer * count * inner,
             Gather<T>{size, inner, count, static_cast<const std::int64_t*>(on_device.get()),
                       static_cast<const T*>(x), static_cast<T*>(y)});
  });
}

}  // namespace pinn::cuda
