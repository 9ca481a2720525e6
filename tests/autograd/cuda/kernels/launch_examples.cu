#include "tests/autograd/cuda/kernels/launch_examples.h"

#include "autograd/cuda/kernels/launch.cuh"

namespace {

struct Squares {
  double* to;
  HD void operator()(std::int64_t i) const { to[i] = double(i) * double(i); }
};

struct SumRow {
  double* to;
  const double* from;
  std::int64_t columns;

  HD void operator()(const pinn::cuda::Block& block) const {
    double* const sums = static_cast<double*>(block.shared);  // one for each thread
    double sum = 0;
    for (std::int64_t i = block.thread; i < columns; i += block.threads)
      sum += from[block.index * columns + i];
    sums[block.thread] = sum;
    block.synchronize();
    if (block.thread == 0) {
      double all = 0;
      for (int i = 0; i < block.threads; ++i) all += sums[i];
      to[block.index] = all;
    }
  }
};

}  // namespace

void fill_with_squares(pinn::cuda::Gpu& gpu, double* to, std::int64_t count) {
  pinn::cuda::for_each(gpu, count, Squares{to});
}

void sum_rows(pinn::cuda::Gpu& gpu, double* to, const double* from, std::int64_t rows,
              std::int64_t columns) {
  constexpr unsigned threads = 128;
  pinn::cuda::for_each_block(gpu, rows, threads, threads * sizeof(double),
                             SumRow{to, from, columns});
}
