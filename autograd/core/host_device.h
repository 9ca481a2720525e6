#pragma once
/// HD marks a function that runs on the CPU and on the GPU; `math` has the functions of numbers.
/// This header and cuda/launch.cuh are the only places in the project that ask which compiler is
/// reading them.
#if defined(__CUDACC_RTC__)  // kernels built while the program runs: no standard library
#define HD __device__
namespace pinn::math {
using ::abs, ::sqrt, ::exp, ::log, ::log1p;
using ::atan, ::cos, ::sin, ::tan;
using ::atan2, ::cosh, ::erf, ::pow, ::sinh, ::tanh;
}  // namespace pinn::math
#else
#include <cmath>
namespace pinn {
namespace math = std;
}
#if defined(__CUDACC__)
#define HD __host__ __device__
#else
#define HD
#endif
#endif
