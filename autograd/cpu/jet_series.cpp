#include "autograd/cpu/jet_series.h"

#include <string>
#include <utility>

#include "autograd/core/error.h"
#include "autograd/ops/unary.h"

namespace pinn::cpu {

template <class T> SeriesKernel<T> series_kernel(int op, int M) {
  if (M > max_derivative)
    throw EngineError({"derivative " + std::to_string(M) + " of " + std::string(unary_name(op)) +
                           " is asked for; jets have " + std::to_string(max_derivative),
                       "jet", "lower the order of the equation or of the nested derivatives"});
  return [&]<int... slice>(std::integer_sequence<int, slice...>) {
    SeriesKernel<T> kernel = nullptr;
    ((op % series_slices == slice ? kernel = series_kernel_in<T, slice>(op, M) : nullptr), ...);
    return kernel;
  }
  (std::make_integer_sequence<int, series_slices>{});
}

template SeriesKernel<float> series_kernel<float>(int op, int M);
template SeriesKernel<double> series_kernel<double>(int op, int M);

}  // namespace pinn::cpu
