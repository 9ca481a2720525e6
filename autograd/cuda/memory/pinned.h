#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "autograd/cuda/driver/driver.h"

namespace pinn::cuda {

/// Memory of the host that copies run to and from while others work. A block that is given back is
/// kept, and handed out again when the copies that were begun with it are done.
class PinnedPool {
 public:
  explicit PinnedPool(Driver& driver) : driver_(driver) {}
  ~PinnedPool();
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;

  /// Errors: DeviceError when the system has not so much.
  void* allocate(std::size_t bytes);
  void release(void* memory);
  /// Notes that what was begun on this stream up to now reads or writes the block.
  void record_use(void* memory, Stream stream);

  std::size_t live() const;
  std::size_t held() const;
  /// Gives back to the system what is not in use.
  void trim();

 private:
  struct Block {
    void* data;
    std::size_t bytes;
    std::map<Stream, Event> uses;  // the last one on each stream
  };
  bool find_free(Block& block);
  bool find_in_system(Block& block);
  bool idle(const Block& block) const;
  void trim_all();
  [[noreturn]] void out_of_memory(std::size_t bytes) const;

  Driver& driver_;
  mutable std::mutex mutex_;
  std::map<void*, Block> used_;
  std::multimap<std::size_t, Block> free_;  // by size
  std::size_t live_ = 0, held_ = 0;
};

}  // namespace pinn::cuda
