#include "autograd/cuda/memory/allocator.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/core/storage.h"
#include "autograd/cuda/driver/driver.h"

namespace pinn::cuda {
namespace {

constexpr std::size_t smallest = 512;

std::string mebibytes(std::size_t bytes) {
  return fmt::format("{:.1f} MiB", double(bytes) / double(1 << 20));
}

}  // namespace

Allocator::~Allocator() {
  quietly([&] {
    trim_all();
    for (Event event : events_) driver_.destroy(event);
  });
}

void* Allocator::allocate(std::size_t bytes, Stream stream) {
  const std::lock_guard lock(mutex_);
  Block block = find(bytes, stream);
  live_ += block.asked = bytes;
  count_memory(device_, std::int64_t(bytes));
  void* const data = block.data;
  used_.emplace(data, std::move(block));
  return data;
}

/// From what costs least to what costs most.
Allocator::Block Allocator::find(std::size_t bytes, Stream stream) {
  Block block{nullptr, kept_size(bytes, smallest), 0, stream, {}, {}};
  collect_done();
  if (find_free(block) || find_on_device(block) || take_over(block) || wait_for_pending(block))
    return block;
  trim_all();
  if (!find_on_device(block)) out_of_memory(bytes);
  return block;
}

bool Allocator::find_free(Block& block) {
  const auto at = free_.find({block.stream, block.bytes});
  if (at == free_.end()) return false;
  block = at->second;
  free_.erase(at);
  return true;
}

bool Allocator::find_on_device(Block& block) {
  if (limit_ && held_ + block.bytes > limit_) return false;
  block.data = driver_.allocate(block.bytes);
  if (block.data) held_ += block.bytes;
  return block.data;
}

/// A free block of another stream, whose work up to now this one's waits for.
bool Allocator::take_over(Block& block) {
  const auto fits = [&](const auto& entry) { return entry.first.second == block.bytes; };
  const auto at = std::find_if(free_.begin(), free_.end(), fits);
  if (at == free_.end()) return false;
  std::vector<Event> marks{mark(at->second.stream)};
  driver_.wait(block.stream, marks[0]);
  forget(marks);
  block.data = at->second.data;
  free_.erase(at);
  return true;
}

/// A block that other streams still work on: this one's work waits for them, the host does not.
bool Allocator::wait_for_pending(Block& block) {
  const auto at = std::find_if(pending_.begin(), pending_.end(),
                               [&](const Block& other) { return other.bytes == block.bytes; });
  if (at == pending_.end()) return false;
  if (at->stream != block.stream) at->awaited.push_back(mark(at->stream));
  for (Event event : at->awaited) driver_.wait(block.stream, event);
  forget(at->awaited);
  block.data = at->data;
  pending_.erase(at);
  return true;
}

void Allocator::release(void* memory) {
  const std::lock_guard lock(mutex_);
  const auto at = used_.find(memory);
  if (at == used_.end())
    throw InternalError({"memory was released that this allocator did not give", name_of(device_),
                         "release every block once, where it came from"});
  Block block = std::move(at->second);
  used_.erase(at);
  live_ -= block.asked;
  count_memory(device_, -std::int64_t(block.asked));
  for (Stream stream : block.used_by) block.awaited.push_back(mark(stream));
  block.used_by.clear();
  if (block.awaited.empty())
    free_.emplace(Kind{block.stream, block.bytes}, std::move(block));
  else
    pending_.push_back(std::move(block));
}

void Allocator::record_use(void* memory, Stream stream) {
  const std::lock_guard lock(mutex_);
  Block& block = used_.at(memory);
  if (stream != block.stream && !std::count(block.used_by.begin(), block.used_by.end(), stream))
    block.used_by.push_back(stream);
}

/// Frees what other streams are done with. Blocks are looked at in the order of their release, in
/// which streams get done with them.
void Allocator::collect_done() {
  const auto is_done = [&](Event event) { return driver_.done(event); };
  while (!pending_.empty()) {
    Block& block = pending_.front();
    if (!std::all_of(block.awaited.begin(), block.awaited.end(), is_done)) return;
    forget(block.awaited);
    free_.emplace(Kind{block.stream, block.bytes}, std::move(block));
    pending_.pop_front();
  }
}

void Allocator::trim_all() {
  for (Block& block : pending_) {
    for (Event event : block.awaited) driver_.synchronize(event);
    forget(block.awaited);
    free_.emplace(Kind{block.stream, block.bytes}, std::move(block));
  }
  pending_.clear();
  for (auto& [kind, block] : free_) {
    driver_.release(block.data);
    held_ -= block.bytes;
  }
  free_.clear();
}

Event Allocator::mark(Stream stream) {
  Event event = nullptr;
  if (events_.empty()) {
    event = driver_.create_event();
  } else {
    event = events_.back();
    events_.pop_back();
  }
  driver_.record(event, stream);
  return event;
}

void Allocator::forget(std::vector<Event>& events) {
  events_.insert(events_.end(), events.begin(), events.end());
  events.clear();
}

void Allocator::limit(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  limit_ = bytes;
}

std::size_t Allocator::limit() const {
  const std::lock_guard lock(mutex_);
  return limit_;
}

std::size_t Allocator::live() const {
  const std::lock_guard lock(mutex_);
  return live_;
}

std::size_t Allocator::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

void Allocator::trim() {
  const std::lock_guard lock(mutex_);
  trim_all();
}

void Allocator::out_of_memory(std::size_t bytes) const {
  const std::string bound = limit_
                                ? "the limit is " + mebibytes(limit_) + " ([memory] device_limit)"
                                : mebibytes(driver_.free_memory()) + " are free on the device";
  throw DeviceError({fmt::format("out of memory on {}: {} were asked for, {} are in use, and {}",
                                 name_of(device_), mebibytes(bytes), mebibytes(live_), bound),
                     name_of(device_),
                     limit_
                         ? "raise [memory] device_limit, lower its block size or the number of "
                           "points, or keep saved tensors on the host with saved = \"cpu\""
                         : "lower the block size in [memory] or the number of points, keep saved "
                           "tensors on the host with saved = \"cpu\", or stop what else uses "
                           "the device"});
}

}  // namespace pinn::cuda
