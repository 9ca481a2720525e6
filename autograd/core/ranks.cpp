#include "autograd/core/ranks.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "autograd/core/parallel.h"

namespace pinn {
namespace {

class Alone : public Ranks {
 public:
  int rank() const override { return 0; }
  int count() const override { return 1; }
  std::string host(int) const override {
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "this machine";
  }
  void gather(std::span<double>, std::span<const std::size_t>) override {}
  void say(double) override {}
  std::span<const double> said() const override { return {}; }
  void broadcast(std::span<char>) override {}
  void wait_until(const std::function<bool()>& done) override {
    while (!done()) std::this_thread::yield();
  }
  void set_patience(double) override {}
  Ending end(int code, const std::string& failure, bool) override {
    return {code, failure.empty() ? -1 : 0};
  }
};

/// Beginnings of the ranks' shares, and the end.
std::vector<std::size_t> beginnings(const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> first = {0};
  for (const std::size_t count : counts) first.push_back(first.back() + count);
  return first;
}

}  // namespace

Ranks& alone() {
  static Alone one;
  return one;
}

std::vector<double> gathered(Ranks& ranks, std::span<const double> own) {
  const auto count = std::size_t(ranks.count());
  std::vector<double> all(count * own.size());
  std::ranges::copy(own, all.begin() + std::ptrdiff_t(std::size_t(ranks.rank()) * own.size()));
  ranks.gather(all, beginnings(std::vector<std::size_t>(count, own.size())));
  return all;
}

std::vector<std::string> gathered(Ranks& ranks, const std::string& own) {
  const double size = double(own.size());
  const std::vector<double> sizes = gathered(ranks, std::span(&size, 1));
  std::vector<std::size_t> counts;
  for (const double bytes : sizes)
    counts.push_back((std::size_t(bytes) + sizeof size - 1) / sizeof size);
  const std::vector<std::size_t> first = beginnings(counts);
  std::vector<double> numbers(first.back());
  if (!own.empty())  // numbers may be none
    std::memcpy(numbers.data() + first[std::size_t(ranks.rank())], own.data(), own.size());
  ranks.gather(numbers, first);
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    std::string text(std::size_t(sizes[r]), ' ');
    if (!text.empty()) std::memcpy(text.data(), numbers.data() + first[r], text.size());
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string from_first(Ranks& ranks, std::string text) {
  std::size_t size = text.size();
  ranks.broadcast({reinterpret_cast<char*>(&size), sizeof size});
  text.resize(size);
  ranks.broadcast(text);
  return text;
}

void share_out(Ranks& ranks, const std::vector<std::vector<std::span<double>>>& by_rank) {
  std::vector<std::size_t> first = {0};
  for (const auto& spans : by_rank) {
    first.push_back(first.back());
    for (const std::span<double>& some : spans) first.back() += some.size();
  }
  const auto room = std::make_unique_for_overwrite<double[]>(first.back());
  const std::span numbers(room.get(), first.back());
  const auto own = std::size_t(ranks.rank());
  auto at = numbers.begin() + std::ptrdiff_t(first[own]);
  for (const std::span<double>& some : by_rank[own]) at = std::ranges::copy(some, at).out;
  ranks.gather(numbers, first);
  auto from = numbers.begin();
  for (std::size_t r = 0; r < by_rank.size(); ++r)
    for (const std::span<double>& some : by_rank[r]) {
      if (r != own) std::copy_n(from, some.size(), some.begin());
      from += std::ptrdiff_t(some.size());
    }
}

void share_out(Ranks& ranks, int owner, std::span<double> numbers) {
  std::vector<std::size_t> first(std::size_t(ranks.count()) + 1, 0);
  std::fill(first.begin() + owner + 1, first.end(), numbers.size());
  ranks.gather(numbers, first);
}

std::string rank_text(const Ranks& ranks, int rank) {
  return "rank " + std::to_string(rank) + " of " + std::to_string(ranks.count()) + ", on " +
         ranks.host(rank);
}

int available_threads(Ranks& ranks) {
  const int allowed = available_threads();
  if (ranks.count() == 1) return allowed;
  cpu_set_t own;
  CPU_ZERO(&own);
  ::sched_getaffinity(0, sizeof own, &own);
  std::vector<double> set(sizeof own / sizeof(double));
  std::memcpy(set.data(), &own, sizeof own);
  const std::vector<double> sets = gathered(ranks, set);
  int here = 0;
  std::vector<int> users(CPU_SETSIZE);  // ranks that may use a processor
  for (int r = 0; r < ranks.count(); ++r) {
    if (ranks.host(r) != ranks.host(ranks.rank())) continue;
    ++here;
    cpu_set_t theirs;
    std::memcpy(&theirs, sets.data() + std::size_t(r) * set.size(), sizeof theirs);
    for (int i = 0; i < CPU_SETSIZE; ++i) users[std::size_t(i)] += CPU_ISSET(i, &theirs) ? 1 : 0;
  }
  double share = 0;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &own)) share += 1.0 / users[std::size_t(i)];
  if (allowed < CPU_COUNT(&own)) share = std::min(share, double(allowed) / here);  // by a quota
  constexpr double rounding = 1e-9;
  return std::max(1, int(share + rounding));
}

int launched_together() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* const count = std::getenv(name)) return std::atoi(count);
  return 0;
}

}  // namespace pinn
