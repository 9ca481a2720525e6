#include "autograd/cuda/pinned.h"

#include <fmt/format.h>

#include <bit>

#include "autograd/core/error.h"

namespace pinn::cuda {
namespace {

constexpr std::size_t smallest = 4096;

}  // namespace

PinnedPool::~PinnedPool() { trim(); }

void* PinnedPool::allocate(std::size_t bytes) {
  const std::size_t size = std::max(std::bit_ceil(bytes), smallest);
  const std::lock_guard lock(mutex_);
  Block block{nullptr, size, {}};
  const auto [first, last] = free_.equal_range(size);
  for (auto at = first; at != last; ++at)
    if (idle(at->second)) {
      block = std::move(at->second);
      free_.erase(at);
      break;
    }
  if (!block.data) {
    block.data = driver_.allocate_pinned(size);
    if (!block.data)
      throw DeviceError({fmt::format("the system has no {:.1f} MiB of memory to pin, beside the "
                                     "{:.1f} MiB that are pinned",
                                     double(size) / (1 << 20), double(held_) / (1 << 20)),
                         "copies between the host and the device",
                         "keep fewer saved tensors on the host, or lower the number of points"});
    held_ += size;
  }
  live_ += size;
  void* const data = block.data;
  used_.emplace(data, std::move(block));
  return data;
}

void PinnedPool::release(void* memory) {
  const std::lock_guard lock(mutex_);
  const auto at = used_.find(memory);
  if (at == used_.end())
    throw InternalError(
        {"pinned memory was released that this pool did not give", "", "release every block once"});
  live_ -= at->second.bytes;
  free_.emplace(at->second.bytes, std::move(at->second));
  used_.erase(at);
}

void PinnedPool::record_use(void* memory, Stream stream) {
  const std::lock_guard lock(mutex_);
  Event& event = used_.at(memory).uses[stream];
  if (!event) event = driver_.create_event();
  driver_.record(event, stream);
}

/// Are the copies done that were begun with the block?
bool PinnedPool::idle(const Block& block) const {
  for (const auto& [stream, event] : block.uses)
    if (!driver_.done(event)) return false;
  return true;
}

std::size_t PinnedPool::live() const {
  const std::lock_guard lock(mutex_);
  return live_;
}

std::size_t PinnedPool::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

void PinnedPool::trim() {
  const std::lock_guard lock(mutex_);
  for (auto& [size, block] : free_) {
    for (const auto& [stream, event] : block.uses) {
      driver_.synchronize(event);
      driver_.destroy(event);
    }
    driver_.release_pinned(block.data);
    held_ -= block.bytes;
  }
  free_.clear();
}

}  // namespace pinn::cuda
