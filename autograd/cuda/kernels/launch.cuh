#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "autograd/core/host_device.h"
#include "autograd/cuda/gpu.h"

/// Kernels from functors: one struct with `HD void operator()` is the body of the kernel and of the
/// loop that the host runs in its place. For .cu files, which are C++ where there is no CUDA.
namespace pinn::cuda {

/// The threads that work on one piece together. The host runs a block with one thread, so the body
/// is written as `for (i = block.thread; i < n; i += block.threads)`.
struct Block {
  std::int64_t index = 0;
  int thread = 0, threads = 1;
  void* shared = nullptr;  ///< memory that the threads share, as many bytes as were asked for

  /// Every thread of the block has come here before one goes on.
  HD void synchronize() const {
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }
};

namespace detail {

inline constexpr std::size_t most_blocks = 1u << 30;

template <class F> struct Task {
  std::int64_t count;
  F body;
};

#if defined(__CUDACC__)
template <class F> __global__ void each(Task<F> task) {
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < task.count;
       i += step)
    task.body(i);
}
template <class F> __global__ void each_block(Task<F> task) {
  extern __shared__ double shared_by_block[];
  for (std::int64_t i = blockIdx.x; i < task.count; i += gridDim.x) {
    task.body(Block{i, int(threadIdx.x), int(blockDim.x), shared_by_block});
    __syncthreads();
  }
}
template <class F> const void* entry_each() { return reinterpret_cast<const void*>(&each<F>); }
template <class F> const void* entry_each_block() {
  return reinterpret_cast<const void*>(&each_block<F>);
}
#else
template <class F> const void* entry_each() { return nullptr; }
template <class F> const void* entry_each_block() { return nullptr; }
#endif

template <class F> void each_on_host(const Grid&, const void* argument) {
  const auto& task = *static_cast<const Task<F>*>(argument);
  for (std::int64_t i = 0; i < task.count; ++i) task.body(i);
}
template <class F> void each_block_on_host(const Grid& grid, const void* argument) {
  const auto& task = *static_cast<const Task<F>*>(argument);
  std::vector<double> shared(grid.shared / sizeof(double) + 1);
  for (std::int64_t i = 0; i < task.count; ++i) task.body(Block{i, 0, 1, shared.data()});
}

template <class F> void launch(Gpu& gpu, Kernel kernel, const Grid& grid, const Task<F>& task) {
  static_assert(std::is_trivially_copyable_v<F> && sizeof(Task<F>) <= longest_argument);
  if (task.count > 0) gpu.driver().launch(kernel, grid, &task, sizeof(task), gpu.compute());
}

}  // namespace detail

/// body(i) for every i below `count`, each by a thread of its own, on the compute stream.
template <class F> void for_each(Gpu& gpu, std::int64_t count, const F& body) {
  const std::int64_t blocks = std::min<std::int64_t>((count + 255) / 256, detail::most_blocks);
  detail::launch(gpu, {detail::entry_each<F>(), detail::each_on_host<F>}, {unsigned(blocks)},
                 detail::Task<F>{count, body});
}

/// body(block) for every one of `blocks` blocks of so many threads, on the compute stream, with
/// `shared` bytes of memory for each block.
template <class F>
void for_each_block(Gpu& gpu, std::int64_t blocks, unsigned threads, std::size_t shared,
                    const F& body) {
  const unsigned in_grid = unsigned(std::min<std::int64_t>(blocks, detail::most_blocks));
  detail::launch(gpu, {detail::entry_each_block<F>(), detail::each_block_on_host<F>},
                 {in_grid, 1, threads, shared}, detail::Task<F>{blocks, body});
}

}  // namespace pinn::cuda
