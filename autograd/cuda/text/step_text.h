#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "autograd/cuda/text/phases.h"

namespace pinn::cuda {

/// Beginning of kernels that are built while the program runs: the headers that define the ops -
/// every op struct of the lists Unary and Binary, and Series - and the pieces of a step, one after
/// another without their #include lines. Needs C++20 and no other header; functions without a mark
/// are device functions there.
std::string_view kernel_headers();

/// How a step runs.
enum class Path : unsigned char {
  wide,  ///< large blocks of points, phase by phase: products by the library, kernels between them
  tile,  ///< one kernel for all phases: a block of threads takes a tile of points through them
};

/// The kernels of a program as text; see docs/cuda.md.
struct StepText {
  Path path = Path::wide;
  int tile = 0;            ///< points per tile
  std::size_t shared = 0;  ///< bytes of shared memory that a tile takes
  unsigned blocks = 0;     ///< tiles that are worked on at the same time, at most
  unsigned threads = 256;  ///< for each of them
  int terms = 0;  ///< of products on tensor cores, in tiles; 0: products are made without them
  std::vector<Phase> phases;
  int weights = 0, numbers = 0;  ///< how many there are, to be packed
  std::vector<int> weights_at;   ///< of each matrix
  std::vector<std::string> kernel_names;
  std::string text;     ///< all that is to be compiled
  std::string kernels;  ///< the part of it that is this program's own
  /// The name of phase n's kernel.
  std::string name(std::size_t n) const;
};

/// Points that a tile may have on a device with so much shared memory for a block of threads: 16,
/// or 8 in float64 and where they do not fit; 0 when the program does not fit, or its layers are
/// wide. More at a time would leave a multiprocessor one block of threads, and nothing to do while
/// that one waits.
int tile_points(const Program& program, std::size_t shared_memory);

/// The text for a path, or the better one: tiles where layers are narrow and a tile fits.
/// Tiles of `tile` points, a power of two from 8 on, if that is not 0, though layers may be wide.
/// Products of tiles are made on tensor cores, in float32 only where its digits need not be exact.
/// Errors: EngineError when tiles are asked for and do not fit.
StepText step_text(const Program& program, std::size_t shared_memory, std::optional<Path> path = {},
                   int tile = 0, Products products = Products::exact);

}  // namespace pinn::cuda
