#include "autograd/core/stats.h"

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

namespace pinn {

Stats& stats() {
  static thread_local Stats value;
  return value;
}

namespace {

/// The counts of one thread: written by it alone, read by all.
struct Counts {
  std::array<std::atomic<std::int64_t>, tally_kinds> n{};
};

/// The counts of all threads. It is never destroyed: late threads may still count.
struct Registry {
  std::mutex lock;
  std::vector<Counts*> living;
  Counts gone;  ///< of threads that have ended, and of what they free while they end
};

Registry& registry() {
  static Registry& value = *new Registry;
  return value;
}

constinit thread_local Counts* own_counts = nullptr;
constinit thread_local bool counts_gone = false;

/// Enters this thread into the registry for as long as it lives.
struct Membership {
  Counts counts;
  Membership() {
    const std::lock_guard guard(registry().lock);
    registry().living.push_back(&counts);
    own_counts = &counts;
  }
  ~Membership() {
    const std::lock_guard guard(registry().lock);
    for (int i = 0; i < tally_kinds; ++i) registry().gone.n[i] += counts.n[i];
    std::erase(registry().living, &counts);
    own_counts = nullptr;
    counts_gone = true;
  }
};

[[gnu::noinline]] void add_first(Tally kind, std::int64_t n) {
  if (!counts_gone) static thread_local const Membership membership;
  (own_counts ? own_counts : &registry().gone)->n[int(kind)] += n;
}

}  // namespace

void add_to(Tally kind, std::int64_t n) {
  if (!own_counts) return add_first(kind, n);
  std::atomic<std::int64_t>& count = own_counts->n[int(kind)];
  count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

std::int64_t total(Tally kind) {
  const std::lock_guard guard(registry().lock);
  std::int64_t sum = registry().gone.n[int(kind)];
  for (const Counts* c : registry().living) sum += c->n[int(kind)];
  return sum;
}

}  // namespace pinn
