#include "autograd/core/storage.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <new>
#include <vector>

#include "autograd/core/stats.h"

namespace pinn {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t largest_kept = std::size_t(64) << 20;
constexpr std::size_t kept_per_thread = std::size_t(256) << 20;

constexpr std::size_t small = 64;  // bytes that a storage keeps in its own piece

struct Count {
  std::atomic<std::int64_t> live{0}, peak{0};

  void add(std::int64_t bytes) {
    const std::int64_t now = live += bytes;
    std::int64_t highest = peak.load();
    while (now > highest && !peak.compare_exchange_weak(highest, now)) {
    }
  }
};
/// Bytes in storages that are not small, on the CPU; those that are small are a Tally.
Count large;
std::array<Count, most_gpus> on_gpu;

/// Sizes of stretches: four steps per power of two, so that a stretch fits its successors.
struct SizeClass {
  std::size_t bytes;
  std::size_t index;
};
constexpr std::size_t size_classes = 4 * 64;

SizeClass size_class(std::size_t bytes) {
  if (bytes <= 64) return {64, 0};
  const std::size_t step = std::bit_floor(bytes - 1) / 4;
  const std::size_t steps = (bytes - 1) / step + 1;  // 5, 6, 7 or 8
  return {steps * step, 4 * std::size_t(std::bit_width(step)) + steps - 5};
}

void* from_system(std::size_t bytes) { return ::operator new(bytes, std::align_val_t(alignment)); }
void to_system(void* stretch) { ::operator delete(stretch, std::align_val_t(alignment)); }

/// Freed stretches of one thread, kept for the next tensor of that size: a training step asks for
/// the same sizes over and over, and fresh pages from the system cost more than the arithmetic on
/// them.
class Cache {
 public:
  ~Cache() {
    clear();
    alive() = false;
  }
  void clear() {
    for (auto& stretches : free_) {
      for (void* p : stretches) to_system(p);
      stretches.clear();
    }
    held_ = 0;
  }
  void* take(SizeClass size) {
    std::vector<void*>& stretches = free_[size.index];
    if (stretches.empty()) return fresh(size.bytes);
    void* p = stretches.back();
    stretches.pop_back();
    held_ -= size.bytes;
    return p;
  }
  void give(void* p, SizeClass size) {
    if (size.bytes > largest_kept || held_ + size.bytes > kept_per_thread) return to_system(p);
    held_ += size.bytes;
    free_[size.index].push_back(p);
  }
  /// False once this thread's cache is gone: late storages then go straight to the system.
  static bool& alive() {
    static thread_local bool value = true;
    return value;
  }

 private:
  /// From the system; where it has no more, what is kept here of other sizes goes first.
  void* fresh(std::size_t bytes) try { return from_system(bytes); } catch (const std::bad_alloc&) {
    clear();
    return from_system(bytes);
  }

  std::array<std::vector<void*>, size_classes> free_;
  std::size_t held_ = 0;
};

Cache& cache() {
  static thread_local Cache value;
  return value;
}

void count(std::int64_t bytes) {
  if (std::size_t(std::abs(bytes)) <= small) return add_to(Tally::bytes, bytes);
  large.add(bytes);
}

struct SmallStorage : Storage {
  explicit SmallStorage(std::size_t bytes) : Storage(bytes, place) {}
  alignas(alignment) char place[small];
};

}  // namespace

Storage::Storage(std::size_t bytes) : bytes_(bytes) {
  const SizeClass size = size_class(bytes);
  data_ = Cache::alive() ? cache().take(size) : from_system(size.bytes);
  count(std::int64_t(bytes));
}

Storage::Storage(std::size_t bytes, void* place, Device device)
    : kept_elsewhere_(true), data_(place), bytes_(bytes), device_(device) {
  if (device.is_cpu()) count(std::int64_t(bytes));  // a GPU's allocator counts for itself
}

Storage::~Storage() {
  if (device_.is_cpu()) count(-std::int64_t(bytes_));
  if (kept_elsewhere_) return;
  if (Cache::alive())
    cache().give(data_, size_class(bytes_));
  else
    to_system(data_);
}

void release_free_memory() {
  if (Cache::alive()) cache().clear();
  release_free_pieces();
}

std::shared_ptr<Storage> make_storage(std::size_t bytes) {
  if (bytes <= small)
    return std::allocate_shared<SmallStorage>(PieceAllocator<SmallStorage>{}, bytes);
  return std::allocate_shared<Storage>(PieceAllocator<Storage>{}, bytes);
}

MemoryUse memory_use(Device device) {
  if (!device.is_cpu()) return {on_gpu.at(device.gpu).live, on_gpu.at(device.gpu).peak};
  const std::int64_t in_small = total(Tally::bytes);
  return {large.live + in_small, large.peak + in_small};
}

void reset_peak(Device device) {
  Count& of = device.is_cpu() ? large : on_gpu.at(device.gpu);
  of.peak = of.live.load();
}

void count_memory(Device gpu, std::int64_t bytes) { on_gpu.at(gpu.gpu).add(bytes); }

}  // namespace pinn
