#pragma once
#include "autograd/compile.h"
#include "autograd/core/aligned.h"
#include "autograd/core/spare.h"
#include "solvers/residual/loss.h"

namespace pinn {

/// Writer of rows of J of one thread, and room for those that are used up at once.
template <class T> struct RowDesk {
  std::unique_ptr<RowWriter<T>> writer = make_row_writer<T>();
  Aligned<T> rows;
};

/// Those of all threads.
struct RowDesks {
  template <class T> Spare<RowDesk<T>>& of() {
    if constexpr (sizeof(T) == sizeof(float))
      return of_float32;
    else
      return of_float64;
  }
  Spare<RowDesk<double>> of_float64;
  Spare<RowDesk<float>> of_float32;
};

}  // namespace pinn
