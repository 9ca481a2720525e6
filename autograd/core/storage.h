#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "autograd/core/numbers.h"

namespace pinn {

/// A stretch of memory that tensors share. The version counts in-place changes, for all aliases
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
  /// On memory that is kept elsewhere.
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

inline constexpr std::size_t piece_alignment = 64;

/// Memory for the small objects that every recorded op makes anew: tensors, nodes and storages,
/// each on cache lines of its own. Freed pieces are kept by the thread that freed them, by size,
/// and handed out again. Under the sanitizers every piece comes from the system, so that they can
/// watch it.
void* take_piece(std::size_t bytes);
void give_piece(void* piece, std::size_t bytes) noexcept;

/// take_piece and give_piece as an allocator, for std::allocate_shared.
template <class T> struct PieceAllocator {
  using value_type = T;
  PieceAllocator() = default;
  template <class U> PieceAllocator(const PieceAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(take_piece(n * sizeof(T))); }
  void deallocate(T* p, std::size_t n) noexcept { give_piece(p, n * sizeof(T)); }
  template <class U> bool operator==(const PieceAllocator<U>&) const { return true; }
};

/// Gives the system what this thread keeps of freed pieces and storages for later ones: after work
/// whose sizes do not come again.
void release_free_memory();

/// The same for pieces alone.
void release_free_pieces();

}  // namespace pinn
