#pragma once
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace pinn::cuda {

/// Machine code of kernels that were built while the program ran.
class KernelCache {
 public:
  /// The cubin of a text for an architecture (90 for compute capability 9.0).
  /// Errors: those of compile.
  std::string built(const std::string& text, int architecture);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::string> cubins_;
};

}  // namespace pinn::cuda
