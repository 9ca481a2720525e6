#pragma once
#include <string>

namespace pinn::cuda {

/// "13.0": the version of NVRTC on this machine. Errors: DeviceError when there is none.
std::string compiler_version();

/// Machine code (a cubin) of kernels in CUDA C++ for an architecture (90 for compute capability
/// 9.0). Needs NVRTC, not a GPU. Errors: DeviceError when there is no NVRTC; InternalError with the
/// compiler's messages when the text is wrong.
std::string compile(const std::string& text, int architecture);

}  // namespace pinn::cuda
