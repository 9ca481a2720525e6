#include "autograd/cpu/eager/kernels.h"

#include "autograd/core/error.h"
#include "autograd/cpu/block/strip.h"
#include "autograd/cpu/vectors/vector.h"

namespace pinn::cpu {
namespace {

/// y[i] = f(a[i], b[i], c[i]), where any array will do for one that f does not read. What is left
/// of the last vector repeats its first number.
template <class T>
void run(const Elementwise& f, const T* a, const T* b, const T* c, T* y, std::size_t n) {
  const StripKernel<T> kernel = strip_kernel<T>(f);
  const std::size_t whole = n - n % Vec<T>::size, left = n - whole;
  kernel(a, b, c, f.parameter, y, whole);
  if (left == 0) return;
  T rest[3][Vec<T>::size];
  for (int k = 0; k < 3; ++k)
    Vec<T>::load((k == 0 ? a : k == 1 ? b : c) + whole, left).store(rest[k]);
  kernel(rest[0], rest[1], rest[2], f.parameter, rest[0], Vec<T>::size);
  Vec<T>::load(rest[0]).store(y + whole, left);
}

void require_floating(DType dtype, int op) {
  if (!is_floating(dtype))
    throw EngineError({std::string(unary_name(op)) + " of " + name_of(dtype) + " numbers", "unary",
                       "convert the tensor to float64 or float32 first"});
}

}  // namespace

void unary(int op, double parameter, DType dtype, const void* x, void* y, std::int64_t n, Host) {
  require_floating(dtype, op);
  visit_floating(dtype, [&]<class T>(T) {
    const T* from = static_cast<const T*>(x);
    run({Elementwise::unary, op, parameter}, from, from, from, static_cast<T*>(y), std::size_t(n));
  });
}

void unary_pullback(int op, double parameter, DType dtype, const void* x, const void* y,
                    const void* dy, void* dx, std::int64_t n, Host) {
  require_floating(dtype, op);
  visit_floating(dtype, [&]<class T>(T) {
    const auto array = [&](const void* a) { return static_cast<const T*>(a ? a : dy); };
    run({Elementwise::unary_pullback, op, parameter}, array(x), array(y), array(dy),
        static_cast<T*>(dx), std::size_t(n));
  });
}

}  // namespace pinn::cpu
