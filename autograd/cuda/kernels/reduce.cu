#include "autograd/cuda/kernels/kernels.h"
#include "autograd/cuda/kernels/launch.cuh"
#include "autograd/cuda/kernels/nest.h"

namespace pinn::cuda {
namespace {

constexpr std::int64_t numbers_per_thread = 64;

struct Sum {
  HD static double add(double sum, double x) { return sum + x; }
};
struct Largest {
  HD static double add(double largest, double x) {
    const double a = x < 0 ? -x : x;
    return largest < a && a <= 1.7976931348623157e308 ? a : largest;  // finite; NaN is not larger
  }
};

/// One pass: `count` numbers for each of the outputs become `parts`. A part takes every parts-th
/// number, so that threads side by side read what stands side by side.
template <class Fold, class From, class To> struct Pass {
  Nest<1> kept, folded;
  std::int64_t outputs, count, parts;
  bool folds_inside;  ///< what is folded, not what is kept, is innermost in memory
  const From* x;
  To* y;  ///< [outputs, parts]
  HD void operator()(std::int64_t i) const {
    const std::int64_t o = folds_inside ? i / parts : i % outputs;
    const std::int64_t part = folds_inside ? i % parts : i / outputs;
    std::int64_t first[1], at[1];
    kept.find(o, first);
    double result = 0;
    for (std::int64_t j = part; j < count; j += parts) {
      folded.find(j, at);
      result = Fold::add(result, double(x[first[0] + at[0]]));
    }
    y[o * parts + part] = To(result);
  }
};

template <class Fold, class T, class To>
void fold(Gpu& gpu, const Nest<1>& kept, const Nest<1>& folded, const T* x, To* y) {
  const std::int64_t outputs = kept.count(), count = folded.count();
  const std::int64_t parts =
      std::max<std::int64_t>(1, (count + numbers_per_thread - 1) / numbers_per_thread);
  const bool inside = folded.is_dense_inside() || !kept.is_dense_inside();
  if (parts == 1) {
    for_each(gpu, outputs, Pass<Fold, T, To>{kept, folded, outputs, count, 1, inside, x, y});
    return;
  }
  const auto memory = gpu.allocate(std::size_t(outputs * parts) * sizeof(double));
  double* between = static_cast<double*>(memory.get());
  for_each(gpu, outputs * parts,
           Pass<Fold, T, double>{kept, folded, outputs, count, parts, inside, x, between});
  fold<Fold, double, To>(gpu, Nest<1>({outputs}, {Sizes{parts}}), Nest<1>({parts}, {Sizes{1}}),
                         between, y);
}

/// The axes of a shape, and strides along them, that are kept or that are not.
Nest<1> axes(const Shape& shape, const Sizes& x_strides, const Sizes& y_strides, bool kept) {
  Shape some;
  Sizes strides{};
  for (int i = 0; i < shape.rank(); ++i) {
    if ((y_strides[i] != 0) != kept) continue;
    strides[some.rank()] = x_strides[i];
    some = some.inserted(some.rank(), shape[i]);
  }
  return Nest<1>(some, {strides});
}

}  // namespace

void sum(DType dtype, const Shape& shape, const Strided& x, void* y, const Sizes& y_strides,
         Gpu& gpu) {
  visit_floating(dtype, [&]<class T>(T) {
    fold<Sum>(gpu, axes(shape, x.strides, y_strides, true),
              axes(shape, x.strides, y_strides, false), static_cast<const T*>(x.data),
              static_cast<T*>(y));
  });
}

void largest_finite(DType dtype, const void* x, std::int64_t n, double* y, Gpu& gpu) {
  visit_floating(dtype, [&]<class T>(T) {
    fold<Largest>(gpu, Nest<1>({}, {Sizes{}}), Nest<1>({n}, {Sizes{1}}), static_cast<const T*>(x),
                  y);
  });
}

}  // namespace pinn::cuda
