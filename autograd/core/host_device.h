#pragma once
/// HD marks a function that runs on the CPU and on the GPU. This header and
/// cuda/launch.cuh are the only places in the project that ask which compiler is reading them.
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
