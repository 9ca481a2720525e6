#include "autograd/cuda/elementwise.h"
#include "autograd/cuda/launch.cuh"
#include "autograd/ops/unary.h"

namespace pinn::cuda {
namespace {

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

}  // namespace pinn::cuda
