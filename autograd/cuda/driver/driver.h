#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "autograd/core/error.h"
#include "autograd/core/numbers.h"
#include "autograd/core/ranks.h"

/// Everything that is asked of CUDA, and nothing else: this room calls no library but through here.
/// One driver speaks to the GPUs of the machine; a simulated one, for tests, keeps device memory on
/// the host and runs kernels there, in the order of their streams.
namespace pinn::cuda {

/// A queue of work in order, and a mark in such a queue; made and destroyed by a driver.
using Stream = struct StreamHandle*;
using Event = struct EventHandle*;
/// Captured work that is started as one.
using Graph = struct GraphHandle*;
/// GPUs of several processes, one each, that give each other numbers.
using Group = struct GroupHandle*;

struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  std::size_t memory = 0;    ///< bytes
  int multiprocessors = 0;
  std::size_t shared_memory = 0;  ///< bytes that one block of threads may ask for
  std::string id;                 ///< of this GPU among all that there are
};

/// How many threads run a kernel.
struct Grid {
  unsigned blocks_x = 1, blocks_y = 1;
  unsigned threads = 256;  ///< per block
  std::size_t shared = 0;  ///< bytes of dynamic shared memory per block
};

/// A kernel; it takes one argument by value, a struct that bytes can be copied of. `host` runs all
/// of it on the host, block after block; a kernel whose threads work together within a block must
/// then be right with one thread per block.
struct Kernel {
  const void* device = nullptr;
  void (*host)(const Grid& grid, const void* argument) = nullptr;
};
/// The longest argument, in bytes.
inline constexpr std::size_t longest_argument = 4096;

/// Kernels that were built while the program runs.
class Module {
 public:
  virtual ~Module() = default;
  /// Errors: InternalError when the text has no such `extern "C" __global__` function.
  virtual Kernel kernel(const std::string& name) = 0;
};

/// How float32 products are made.
enum class Precision : unsigned char { exact, tf32 };

/// c = a b + beta c, column by column in memory as BLAS has it: a is [m, k] (or [k, m] when it is
/// to be transposed), b is [k, n] (or [n, k]), c is [m, n]. Repeatable to the last bit.
struct Multiply {
  DType dtype = DType::float32;  ///< float32 or float64
  Precision precision = Precision::exact;
  bool transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;
  std::int64_t a_stride = 0;  ///< from one column to the next
  const void* b = nullptr;
  std::int64_t b_stride = 0;
  void* c = nullptr;
  std::int64_t c_stride = 0;
  double beta = 0;  ///< 0 or 1
  /// Several of one kind: how far from one to the next, in elements.
  std::int64_t count = 1, a_next = 0, b_next = 0, c_next = 0;
};

/// Errors of all: DeviceError with the name of the call and what CUDA said. An error of a kernel
/// may show up in any later call; after one the device is of no more use to this process.
class Driver {
 public:
  virtual ~Driver() = default;

  virtual int devices() = 0;
  virtual DeviceInfo info(int device) = 0;
  /// The device of the calling thread's next calls.
  virtual void use(int device) = 0;

  /// Memory of the device; null when there is not enough.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) = 0;
  virtual std::size_t free_memory() = 0;
  /// Memory of the host that copies can run to and from while others work; null likewise.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(void* memory) = 0;

  virtual Stream create_stream() = 0;
  virtual void destroy(Stream stream) = 0;
  virtual void synchronize(Stream stream) = 0;
  virtual Event create_event() = 0;
  virtual void destroy(Event event) = 0;
  virtual void record(Event event, Stream stream) = 0;
  virtual void wait(Stream stream, Event event) = 0;
  virtual bool done(Event event) = 0;
  virtual void synchronize(Event event) = 0;

  /// In the order of the stream. A copy from or to memory of the host that is not pinned may wait.
  virtual void copy(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  /// Fills with zero bytes.
  virtual void zero(void* to, std::size_t bytes, Stream stream) = 0;
  /// The argument's bytes are copied before this returns.
  virtual void launch(const Kernel& kernel, const Grid& grid, const void* argument,
                      std::size_t argument_bytes, Stream stream) = 0;
  virtual void multiply(const Multiply& product, Stream stream) = 0;

  /// Builds kernels from their text, or finds them built (kernel_cache.h).
  virtual std::shared_ptr<Module> build(const std::string& text) = 0;

  /// Captures what is begun on the stream in between, and on streams that wait for its events and
  /// are waited for again: it is kept, not run. Meanwhile this thread neither allocates nor
  /// synchronizes.
  virtual void begin_capture(Stream stream) = 0;
  virtual Graph end_capture(Stream stream) = 0;
  virtual void launch(Graph graph, Stream stream) = 0;
  virtual void destroy(Graph graph) = 0;

  /// Library behind groups, with its version. Errors: DeviceError where this machine has none.
  virtual std::string groups() = 0;
  /// A name for a group, which one process makes and all join by.
  virtual std::string new_group() = 0;
  /// The calling thread's device becomes number `rank` of `count`; returns when all are there.
  virtual Group join(const std::string& name, int rank, int count) = 0;
  /// Gives all GPUs the numbers of each, bit for bit: that of rank r comes with numbers first[r]
  /// ... first[r + 1] - 1. All begin as much, in the same order. It can be captured.
  virtual void gather(Group group, double* numbers, std::span<const std::size_t> first,
                      Stream stream) = 0;
  /// Errors: DeviceError where the group is broken, as far as is known.
  virtual void require_whole(Group group) = 0;
  /// Ends this process's part, and what was begun of it.
  virtual void leave(Group group) = 0;
};

/// The driver of this machine's GPUs. Errors: DeviceError when there is none, or the program was
/// built without CUDA.
std::shared_ptr<Driver> make_driver();

/// For destructors, which may not throw: a device that was lost refuses to give anything back, and
/// ranks that failed are not waited for; the next call says so.
template <class F> void quietly(F&& act) noexcept {
  try {
    act();
  } catch (const DeviceError&) {
  } catch (const RankError&) {
  }
}

}  // namespace pinn::cuda
