#pragma once
#include "autograd/compile.h"
#include "autograd/core/aligned.h"
#include "autograd/core/parallel.h"
#include "autograd/core/spare.h"

namespace pinn {

/// Writer of rows of J of one thread, and room for those that are used up at once.
template <class T> struct RowScratch {
  std::unique_ptr<RowWriter<T>> writer = make_row_writer<T>();
  Aligned<T> rows;
};

/// Those of all threads.
struct RowScratches {
  template <class T> Spare<RowScratch<T>>& of() {
    if constexpr (sizeof(T) == sizeof(float))
      return of_float32;
    else
      return of_float64;
  }
  Spare<RowScratch<double>> of_float64;
  Spare<RowScratch<float>> of_float32;
};

}  // namespace pinn
