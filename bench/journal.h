#pragma once
#include <cstdint>
#include <string>

#include "autograd/core/numbers.h"
#include "bench/line.h"

namespace pinn::bench {

/// Options of the command line; 0 or empty leaves a size to the workload.
struct Options {
  std::string workload;
  std::int64_t points = 0, width = 0, layers = 0;  ///< of networks and batches
  std::int64_t count = 0;                          ///< calls, iterations, depth
  DType dtype = DType::float32;
  Device device;  ///< of step, w-hess and gpu-...
  int threads = 1;
  int samples = 5;
  std::string activation;  ///< empty: all that the workload knows
  std::string products;    ///< "bf16x3": these too, of the step
  std::string row;         ///< only rows whose name contains this
  std::string problem = PINN_SOURCE_DIR "/configs/burgers.toml";
  int stage = 1;       ///< of the problem, from 1
  std::string folder;  ///< where inputs and results are left for others to compare
  bool only_write = false, serve = false;
  bool paths = false;  ///< of the step, all ways through it that a GPU has

  std::int64_t points_or(std::int64_t n) const { return points ? points : n; }
  std::int64_t width_or(std::int64_t n) const { return width ? width : n; }
  std::int64_t layers_or(std::int64_t n) const { return layers ? layers : n; }
  std::int64_t count_or(std::int64_t n) const { return count ? count : n; }
  /// Is this row asked for? With --serve by its whole name, else by any part of it.
  bool wants(const std::string& name) const {
    return serve ? name == row : name.find(row) != std::string::npos;
  }
};

/// Prints lines, each with the machine it was measured on, and remembers what was wrong.
class Journal {
 public:
  explicit Journal(const Options& options);

  void print(const Line& line) const;
  /// A result that must hold, or nothing that was timed means anything.
  void validate(const std::string& what, double value, double limit);
  /// A bar on time or memory: said, but no failure of the program.
  void compare(const std::string& bar, double value, double limit, bool at_least = false) const;

  bool valid() const { return valid_; }

 private:
  std::string workload_;
  Line machine_;
  bool valid_ = true;
};

/// The processor, its instruction sets, the compiler, the version of the program.
Line machine();

}  // namespace pinn::bench
