#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autograd/core/numbers.h"
#include "autograd/cuda/driver/driver.h"

namespace pinn::cuda {

/// Sizes of pieces that are kept for reuse: eight steps per power of two, so that a piece fits its
/// successors and at most an eighth of it lies idle.
inline std::size_t kept_size(std::size_t bytes, std::size_t smallest) {
  if (bytes <= smallest) return smallest;
  const std::size_t step = std::max(std::bit_floor(bytes - 1) / 8, smallest);
  return (bytes + step - 1) / step * step;
}

/// Memory of one device, in blocks that are kept when they are given back. A block belongs to a
/// stream: work begun there after the release may have it at once, for it runs after what still
/// reads it. Work on another stream that takes it over waits. A block that other streams were said
/// to work on as well comes back when they are done with it.
class Allocator {
 public:
  Allocator(Driver& driver, Device device) : driver_(driver), device_(device) {}
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// At least one byte, aligned to 256. Errors: DeviceError when there is not so much, or it is
  /// more than the limit leaves.
  void* allocate(std::size_t bytes, Stream stream);
  void release(void* memory);
  /// Notes that what is begun on this stream before the release works on the block too.
  void record_use(void* memory, Stream stream);

  /// The most bytes to take from the device; 0 is as much as there is.
  void limit(std::size_t bytes);
  std::size_t limit() const;
  /// Bytes that were asked for and not released.
  std::size_t live() const;
  /// Bytes taken from the device, in use or not.
  std::size_t held() const;
  /// Gives back to the device what is not in use, after waiting for what is about to be.
  void trim();

 private:
  struct Block {
    void* data = nullptr;
    std::size_t bytes = 0, asked = 0;
    Stream stream = nullptr;      // whose work may reuse it
    std::vector<Stream> used_by;  // other streams that work on it
    std::vector<Event> awaited;   // what they had begun when it was released
  };
  using Kind = std::pair<Stream, std::size_t>;

  Block find(std::size_t bytes, Stream stream);
  bool find_free(Block& block);
  bool find_on_device(Block& block);
  bool take_over(Block& block);
  bool wait_for_pending(Block& block);
  void collect_done();
  void trim_all();
  Event mark(Stream stream);
  void forget(std::vector<Event>& events);
  [[noreturn]] void out_of_memory(std::size_t bytes) const;

  Driver& driver_;
  const Device device_;
  mutable std::mutex mutex_;
  std::unordered_map<void*, Block> used_;
  std::multimap<Kind, Block> free_;
  std::deque<Block> pending_;  // released, and other streams still work on them
  std::vector<Event> events_;  // that are free
  std::size_t limit_ = 0, live_ = 0, held_ = 0;
};

}  // namespace pinn::cuda
