#pragma once
#include <initializer_list>
#include <string>

namespace pinn::cuda {

/// A shared library that is opened when it is first needed and stays open, so that the program
/// starts where it is not.
class Library {
 public:
  /// Tries the names in turn; `what` says what it is needed for, `fix` how it gets there. Errors:
  /// DeviceError.
  Library(std::initializer_list<const char*> names, const std::string& what,
          const std::string& fix = "install the CUDA toolkit");

  /// A function of it, as the type of `like`. Errors: DeviceError.
  template <class F> F* function(const char* name) const {
    return reinterpret_cast<F*>(address(name));
  }

 private:
  void* address(const char* name) const;
  void* handle_ = nullptr;
  std::string name_;
};

/// "13.0": the version of NVRTC on this machine. Errors: DeviceError when there is none.
std::string compiler_version();

/// Machine code (a cubin) of kernels in CUDA C++ for an architecture (90 for compute capability
/// 9.0). Needs NVRTC, not a GPU. Errors: DeviceError when there is no NVRTC; InternalError with the
/// compiler's messages when the text is wrong.
std::string compile(const std::string& text, int architecture);

}  // namespace pinn::cuda
