#include "autograd/cpu/unary.h"

#include "autograd/core/error.h"
#include "autograd/cpu/vector.h"
#include "autograd/ops/unary.h"

namespace pinn::cpu {

namespace {

void require_floating(DType dtype, int op) {
  if (!is_floating(dtype))
    throw EngineError({std::string(unary_name(op)) + " of " + name_of(dtype) + " numbers", "unary",
                       "convert the tensor to float64 or float32 first"});
}

template <class Op, class T>
[[gnu::flatten]] void map(double parameter, const T* x, T* y, std::size_t n) {
  each_vector<T>(n, [&](std::size_t i, std::size_t count) {
    value_of<Op>(Vec<T>::load(x + i, count), parameter).store(y + i, count);
  });
}

template <class Op, class T>
[[gnu::flatten]] void map_pullback(double parameter, const T* x, const T* y, const T* dy, T* dx,
                                   std::size_t n) {
  if constexpr (!Op::uses_x) x = dy;  // any array will do
  if constexpr (!Op::uses_y) y = dy;
  each_vector<T>(n, [&](std::size_t i, std::size_t count) {
    const auto slope =
        slope_of<Op>(Vec<T>::load(x + i, count), Vec<T>::load(y + i, count), parameter);
    (slope * Vec<T>::load(dy + i, count)).store(dx + i, count);
  });
}

}  // namespace

void unary(int op, double parameter, DType dtype, const void* x, void* y, std::size_t n) {
  require_floating(dtype, op);
  visit_floating(dtype, [&]<class T>(T) {
    visit_unary(op, [&]<class Op>() {
      map<Op>(parameter, static_cast<const T*>(x), static_cast<T*>(y), n);
    });
  });
}

void unary_pullback(int op, double parameter, DType dtype, const void* x, const void* y,
                    const void* dy, void* dx, std::size_t n) {
  require_floating(dtype, op);
  visit_floating(dtype, [&]<class T>(T) {
    visit_unary(op, [&]<class Op>() {
      map_pullback<Op>(parameter, static_cast<const T*>(x), static_cast<const T*>(y),
                       static_cast<const T*>(dy), static_cast<T*>(dx), n);
    });
  });
}

}  // namespace pinn::cpu
