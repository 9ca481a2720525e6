#include "autograd/core/storage.h"

#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

namespace pinn {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t largest_kept = std::size_t(64) << 20;
constexpr std::size_t kept_per_thread = std::size_t(256) << 20;

std::atomic<std::int64_t> live_bytes{0}, peak_bytes{0};

/// Sizes are rounded to four steps per power of two, so that a block fits its successors.
std::size_t rounded(std::size_t bytes) {
  if (bytes <= 64) return 64;
  const std::size_t step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step;
}

/// Freed blocks of one thread, kept for the next tensor of that size: a training step asks for the
/// same sizes over and over, and fresh pages from the system cost more than the arithmetic on them.
class Cache {
 public:
  ~Cache() {
    for (auto& list : blocks_)
      for (void* p : list.free) ::operator delete(p, std::align_val_t(alignment));
    alive() = false;
  }
  void* take(std::size_t size) {
    for (auto& list : blocks_)
      if (list.size == size && !list.free.empty()) {
        void* p = list.free.back();
        list.free.pop_back();
        held_ -= size;
        return p;
      }
    return ::operator new(size, std::align_val_t(alignment));
  }
  void give(void* p, std::size_t size) {
    if (size > largest_kept || held_ + size > kept_per_thread)
      return ::operator delete(p, std::align_val_t(alignment));
    held_ += size;
    for (auto& list : blocks_)
      if (list.size == size) return list.free.push_back(p);
    blocks_.push_back({size, {p}});
  }
  /// False once this thread's cache is gone: late storages then go straight to the system.
  static bool& alive() {
    static thread_local bool value = true;
    return value;
  }

 private:
  struct List {
    std::size_t size;
    std::vector<void*> free;
  };
  std::vector<List> blocks_;
  std::size_t held_ = 0;
};

Cache& cache() {
  static thread_local Cache value;
  return value;
}

}  // namespace

Storage::Storage(std::size_t bytes) : bytes_(bytes) {
  const std::size_t size = rounded(bytes);
  data_ = Cache::alive() ? cache().take(size) : ::operator new(size, std::align_val_t(alignment));
  const std::int64_t now = live_bytes += std::int64_t(bytes_);
  std::int64_t peak = peak_bytes.load();
  while (now > peak && !peak_bytes.compare_exchange_weak(peak, now)) {
  }
}

Storage::~Storage() {
  live_bytes -= std::int64_t(bytes_);
  if (Cache::alive())
    cache().give(data_, rounded(bytes_));
  else
    ::operator delete(data_, std::align_val_t(alignment));
}

MemoryUse memory_use(Device) { return {live_bytes.load(), peak_bytes.load()}; }
void reset_peak(Device) { peak_bytes = live_bytes.load(); }

}  // namespace pinn
