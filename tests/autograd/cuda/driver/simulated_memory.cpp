#include "tests/autograd/cuda/driver/simulated_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t gap = 256;  // between blocks; blocks begin at multiples of it

std::size_t rounded(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

char* reserve(std::size_t bytes) {
  void* const place =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(place);
}

void poison(char* place, std::size_t bytes) { std::memset(place, 0xff, bytes); }

}  // namespace

SimulatedMemory::SimulatedMemory(std::size_t bytes)
    : capacity_(rounded(bytes, page)), base_(reserve(capacity_)) {}

SimulatedMemory::~SimulatedMemory() { munmap(base_, capacity_); }

void* SimulatedMemory::allocate(std::size_t bytes) {
  const std::size_t size = rounded(std::max<std::size_t>(bytes, 1), gap);
  std::size_t from = 0;
  for (const auto& [start, length] : used_) {
    if (from + size + gap <= start) break;
    from = start + length + gap;
  }
  if (from + size > capacity_ || taken_ + size > capacity_) return nullptr;
  used_[from] = size;
  taken_ += size;
  highest_ = std::max(highest_, from + size);
  const Open open(*this);
  poison(base_ + from, size);
  return base_ + from;
}

bool SimulatedMemory::release(void* block) {
  const auto at = used_.find(std::size_t(static_cast<char*>(block) - base_));
  if (at == used_.end()) return false;
  const Open open(*this);
  poison(base_ + at->first, at->second);
  taken_ -= at->second;
  used_.erase(at);
  return true;
}

bool SimulatedMemory::contains(const void* place) const {
  return place >= base_ && place < base_ + capacity_;
}

void SimulatedMemory::protect(int how) {
  if (mprotect(base_, rounded(highest_, page), how) != 0)
    throw std::runtime_error("the memory of the simulated GPU cannot be protected");
}

SimulatedMemory::Open::Open(SimulatedMemory& memory) : memory_(memory) {
  if (memory_.open_++ == 0) memory_.protect(PROT_READ | PROT_WRITE);
}

SimulatedMemory::Open::~Open() {
  if (--memory_.open_ == 0) memory_.protect(PROT_NONE);
}
