#include <algorithm>

#include "autograd/cuda/kernels/kernels.h"

namespace pinn::cuda {

// A row-major matrix is the transpose of a column-major one, so what BLAS is asked for is
// c^T = b^T a^T: a factor that is dense by rows is its own transpose there, one that is dense by
// columns has to be transposed.
void product(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a,
             const Matrix& b, void* c, Gpu& gpu) {
  if (m == 0 || n == 0) return;
  if (k == 0) return gpu.driver().zero(c, std::size_t(m * n) * size_of(dtype), gpu.compute());
  const auto stride = [](const Matrix& x) {
    return std::max<std::int64_t>(1, x.column == 1 ? x.row : x.column);
  };
  Multiply task;
  task.dtype = dtype;
  task.m = n;
  task.n = m;
  task.k = k;
  task.a = b.data;
  task.a_stride = stride(b);
  task.transpose_a = b.column != 1;
  task.b = a.data;
  task.b_stride = stride(a);
  task.transpose_b = a.column != 1;
  task.c = c;
  task.c_stride = n;
  gpu.driver().multiply(task, gpu.compute());
}

}  // namespace pinn::cuda
