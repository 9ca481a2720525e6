#pragma once
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "autograd/core/ranks.h"

namespace pinn::test {

/// Meeting of the ranks of one process, each a thread: what they do together is what processes do.
class Meeting {
 public:
  explicit Meeting(int count) : shares(std::size_t(count)), words(shares.size()) {}

  int count() const { return int(shares.size()); }
  /// Returns when all ranks have come. Errors: RankError where one has failed.
  void meet() {
    std::unique_lock lock(mutex_);
    const int now = times_;
    if (++arrived_ == count()) {
      arrived_ = 0;
      ++times_;
      come_.notify_all();
    }
    come_.wait(lock, [&] { return times_ != now || failed_ >= 0; });
    if (times_ == now) throw RankError({"rank " + std::to_string(failed_) + " failed", "", ""});
  }
  void fail(int rank) {
    const std::lock_guard lock(mutex_);
    if (failed_ < 0) failed_ = rank;
    come_.notify_all();
  }

  /// Errors: RankError where a rank has failed.
  void refuse_failure() {
    const std::lock_guard lock(mutex_);
    if (failed_ >= 0) throw RankError({"rank " + std::to_string(failed_) + " failed", "", ""});
  }

  std::vector<std::span<double>> shares;  ///< the arrays that ranks came with
  std::vector<double> words;              ///< that they said
  std::span<char> bytes;                  ///< of rank 0

 private:
  std::mutex mutex_;
  std::condition_variable come_;
  int arrived_ = 0, times_ = 0, failed_ = -1;
};

class ThreadRanks : public Ranks {
 public:
  ThreadRanks(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}

  int rank() const override { return rank_; }
  int count() const override { return meeting_.count(); }
  std::string host(int) const override { return "here"; }
  void gather(std::span<double> numbers, std::span<const std::size_t> first) override {
    meeting_.shares[std::size_t(rank_)] = numbers;
    meeting_.words[std::size_t(rank_)] = word_;
    meeting_.meet();
    said_ = meeting_.words;
    for (std::size_t r = 0; r < meeting_.shares.size(); ++r)
      if (r != std::size_t(rank_))
        std::copy_n(meeting_.shares[r].begin() + std::ptrdiff_t(first[r]), first[r + 1] - first[r],
                    numbers.begin() + std::ptrdiff_t(first[r]));
    meeting_.meet();
  }
  void say(double word) override { word_ = word; }
  std::span<const double> said() const override { return said_; }
  void broadcast(std::span<char> bytes) override {
    if (rank_ == 0) meeting_.bytes = bytes;
    meeting_.meet();
    if (rank_ > 0) std::copy_n(meeting_.bytes.begin(), bytes.size(), bytes.begin());
    meeting_.meet();
  }
  void wait_until(const std::function<bool()>& done) override {
    while (!done()) meeting_.refuse_failure(), std::this_thread::yield();
  }
  void set_patience(double) override {}
  Ending end(int code, const std::string& failure, bool) override {
    return {code, failure.empty() ? -1 : rank_};
  }

 private:
  Meeting& meeting_;
  const int rank_;
  double word_ = 0;
  std::vector<double> said_;
};

/// Does work(ranks) on so many ranks; rethrows what failed first.
template <class Work> void on_ranks(int count, Work&& work) {
  Meeting meeting(count);
  std::exception_ptr first;
  std::mutex mutex;
  {
    std::vector<std::jthread> all;
    for (int r = 0; r < count; ++r)
      all.emplace_back([&, r] {
        try {
          ThreadRanks ranks(meeting, r);
          work(ranks);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!first) first = std::current_exception();
          meeting.fail(r);
        }
      });
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace pinn::test
