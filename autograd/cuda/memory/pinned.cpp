#include "autograd/cuda/memory/pinned.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/cuda/driver/driver.h"
#include "autograd/cuda/memory/allocator.h"

namespace pinn::cuda {
namespace {

constexpr std::size_t smallest_pinned = 4096;

}  // namespace

PinnedPool::~PinnedPool() {
  quietly([&] { trim(); });
}

void* PinnedPool::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  Block block{nullptr, kept_size(bytes, smallest_pinned), {}};
  if (!find_free(block) && !find_in_system(block)) {
    trim_all();
    if (!find_in_system(block)) out_of_memory(block.bytes);
  }
  live_ += block.bytes;
  void* const data = block.data;
  used_.emplace(data, std::move(block));
  return data;
}

bool PinnedPool::find_free(Block& block) {
  const auto [first, last] = free_.equal_range(block.bytes);
  const auto at = std::find_if(first, last, [&](const auto& entry) { return idle(entry.second); });
  if (at == last) return false;
  block = std::move(at->second);
  free_.erase(at);
  return true;
}

bool PinnedPool::find_in_system(Block& block) {
  block.data = driver_.allocate_pinned(block.bytes);
  if (block.data) held_ += block.bytes;
  return block.data;
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
  trim_all();
}

void PinnedPool::trim_all() {
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

void PinnedPool::out_of_memory(std::size_t bytes) const {
  constexpr double mebibyte = 1 << 20;
  throw DeviceError({fmt::format("the system has no {:.1f} MiB of memory to pin, beside the {:.1f} "
                                 "MiB that are pinned",
                                 double(bytes) / mebibyte, double(held_) / mebibyte),
                     "copies between the host and the GPU",
                     "keep fewer saved tensors on the host, or lower the number of points"});
}

}  // namespace pinn::cuda
