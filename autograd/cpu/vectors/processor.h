#pragma once
#include "autograd/core/numbers.h"
#include "autograd/core/parallel.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace pinn::cpu {

/// While one lives, this thread takes numbers too small to be normal for 0, in arguments and in
/// results: with them a product runs 30 times slower. Every thread that runs blocks holds one, so
/// that results do not depend on which thread computed them.
class FlushDenormals {
 public:
  FlushDenormals() { set(before_ | flush_to_zero | denormals_are_zero); }
  ~FlushDenormals() { set(before_); }
  FlushDenormals(const FlushDenormals&) = delete;

 private:
  static constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x40;
#if defined(__SSE2__)
  static unsigned now() { return _mm_getcsr(); }
  static void set(unsigned mode) { _mm_setcsr(mode); }
#else
  static unsigned now() { return 0; }
  static void set(unsigned) {}
#endif
  const unsigned before_ = now();
};

/// Floating-point operations per second (in 1e9) that all threads of the pool reach together in a
/// loop of independent fused multiply-adds: what no product can exceed, measured for a few
/// milliseconds because it moves with the clock.
double fma_peak(DType dtype, ThreadPool& pool);

}  // namespace pinn::cpu
