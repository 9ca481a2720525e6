#include "autograd/cpu/block/strip.h"

#include "autograd/cpu/vectors/vector.h"

namespace pinn::cpu {
namespace {

template <class F, class T>
[[gnu::flatten]] void run(const T* a, const T* b, const T* c, double parameter, T* y,
                          std::size_t n) {
  for (std::size_t i = 0; i < n; i += Vec<T>::size)
    F::value(Vec<T>::load(a + i), Vec<T>::load(b + i), Vec<T>::load(c + i), parameter).store(y + i);
}

}  // namespace

template <class T> StripKernel<T> strip_kernel(const Elementwise& f) {
  return visit_elementwise(f, []<class F>() -> StripKernel<T> { return run<F, T>; });
}

template StripKernel<float> strip_kernel<float>(const Elementwise&);
template StripKernel<double> strip_kernel<double>(const Elementwise&);

}  // namespace pinn::cpu
