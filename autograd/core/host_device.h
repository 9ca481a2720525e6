#pragma once
/// HD marks a function that runs on the CPU and on the GPU. This header is the only place in the
/// project that asks which compiler is reading it.
#if defined(__CUDACC_RTC__)  // kernels built while the program runs: no standard library
#define HD __device__
#else
#include <cmath>
#if defined(__CUDACC__)
#define HD __host__ __device__
#else
#define HD
#endif
#endif
