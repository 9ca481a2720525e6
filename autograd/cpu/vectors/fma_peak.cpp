#include "autograd/cpu/vectors/processor.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <mutex>

#include "autograd/cpu/vectors/kernel_vector.h"

namespace pinn::cpu {
namespace {

constexpr int chains = 12;  ///< independent ones: two units, four cycles deep, and some to spare

/// The operations done; the sum of the chains leaves through `sink`, so that they are not dropped.
template <class T> double multiply_add(long rounds, double& sink) {
  const Vec<T> a(0.999), b(1e-3);
  Vec<T> x[chains];
  for (int c = 0; c < chains; ++c) x[c] = Vec<T>(0.1 * c);
  for (long r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (int c = 0; c < chains; ++c) x[c] = fma(x[c], a, b);
  }
  for (int c = 0; c < chains; ++c) sink += double(x[c][0]);
  return 2.0 * chains * Vec<T>::size * double(rounds);
}

}  // namespace

double fma_peak(DType dtype, ThreadPool& pool) {
  using Clock = std::chrono::steady_clock;
  constexpr long rounds = 500000;
  std::mutex mutex;
  double operations = 0, sink = 0;
  Clock::time_point first = Clock::time_point::max(), last = Clock::time_point::min();
  std::barrier together(pool.threads());  // threads that share a processor share its rate
  pool.run(pool.threads(), [&](int) {
    together.arrive_and_wait();
    double mine = 0;
    const Clock::time_point start = Clock::now();
    const double done = dtype == DType::float32 ? multiply_add<float>(rounds, mine)
                                                : multiply_add<double>(rounds, mine);
    const Clock::time_point end = Clock::now();
    const std::lock_guard lock(mutex);
    first = std::min(first, start);
    last = std::max(last, end);
    operations += done;
    sink += mine;
  });
  const std::chrono::duration<double> time = last - first;
  return sink > 0 ? 1e-9 * operations / time.count() : 0;
}

}  // namespace pinn::cpu
