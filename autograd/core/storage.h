#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "autograd/core/device.h"

namespace pinn {

/// A block of memory that tensors share. The version counts in-place changes, for all aliases
/// alike.
class Storage {
 public:
  explicit Storage(std::size_t bytes);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* data() { return data_; }  ///< in the memory of its device
  std::size_t bytes() const { return bytes_; }
  Device device() const { return device_; }

  std::atomic<std::uint32_t> version{0};

 protected:
  /// On memory that somebody else keeps.
  Storage(std::size_t bytes, void* place, Device device = Device::cpu);

 private:
  bool kept_elsewhere_ = false;
  void* data_;
  std::size_t bytes_;
  Device device_;
};

/// A storage for tensors to share; a small one is one piece with its memory.
std::shared_ptr<Storage> make_storage(std::size_t bytes);

/// Bytes in live storages of a device, now and at most since the last reset. Of storages of
/// at most 64 bytes the peak counts those that are live now.
struct MemoryUse {
  std::int64_t live = 0;
  std::int64_t peak = 0;
};
MemoryUse memory_use(Device device);
void reset_peak(Device device);
/// Counts bytes that storages of a GPU take, or give back.
void count_memory(Device gpu, std::int64_t bytes);
inline constexpr int most_gpus = 64;

}  // namespace pinn
