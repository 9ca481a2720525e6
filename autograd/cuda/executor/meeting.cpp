#include "autograd/cuda/executor/meeting.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "autograd/core/error.h"

namespace pinn::cuda {
namespace {

/// What is waited for on another thread, as it knows nothing of patience; it may outlive who
/// waits.
struct Joining {
  std::atomic<bool> done = false;
  Group group = nullptr;
  std::exception_ptr failed;
};

Group joined(Gpu& gpu, Ranks& ranks) {
  std::string name = ranks.rank() == 0 ? gpu.driver().new_group() : "";
  name = from_first(ranks, name);
  const auto joining = std::make_shared<Joining>();
  std::thread([joining, name, &gpu, rank = ranks.rank(), count = ranks.count()] {
    try {
      joining->group = gpu.driver().join(name, rank, count);
    } catch (...) {
      joining->failed = std::current_exception();
    }
    joining->done = true;
  }).detach();
  ranks.wait_until([&] { return joining->done.load(); });
  if (joining->failed) std::rethrow_exception(joining->failed);
  return joining->group;
}

class MeetingOnGpus : public Meeting {
 public:
  MeetingOnGpus(Gpu& gpu, Ranks& ranks)
      : gpu_(gpu), ranks_(ranks), made_of_(gpu.driver().groups()), group_(joined(gpu, ranks)) {
    gpu_.wait_by([this](const std::function<bool()>& done) { wait(done); });
  }
  ~MeetingOnGpus() override {
    quietly([this] { gpu_.synchronize(); });
    leave();
  }

  void begin(double* numbers, std::span<const std::size_t> first) override {
    if (!group_)
      throw InternalError({"ranks that have parted are to meet", "cuda::Meeting::begin", ""});
    gpu_.driver().gather(group_, numbers, first, gpu_.compute());
  }
  bool can_be_captured() const override { return true; }
  std::string text() const override { return "by " + made_of_; }

 private:
  void wait(const std::function<bool()>& done) {
    try {
      ranks_.wait_until([&] {
        if (done()) return true;
        gpu_.driver().require_whole(group_);
        return false;
      });
    } catch (...) {
      leave();  // or the GPU would wait on
      throw;
    }
  }

  void leave() {
    gpu_.wait_by({});
    if (group_) quietly([this] { gpu_.driver().leave(group_); });
    group_ = nullptr;
  }

  Gpu& gpu_;
  Ranks& ranks_;
  const std::string made_of_;
  Group group_;
};

/// Why GPUs of these ranks do not meet on their own; empty: they do. All ranks get one answer.
std::string why_on_host(Gpu& gpu, Ranks& ranks) {
  std::string version, missing;
  try {
    version = gpu.driver().groups();
  } catch (const DeviceError& error) {
    missing = error.report.what;
  }
  for (const std::string& text : gathered(ranks, missing))
    if (!text.empty()) return text;
  std::vector<std::string> versions = gathered(ranks, version);
  std::ranges::sort(versions);
  if (versions.front() != versions.back())
    return versions.front() + " and " + versions.back() + " do not meet";
  std::vector<std::string> ids = gathered(ranks, gpu.info().id);
  std::ranges::sort(ids);
  return std::ranges::adjacent_find(ids) == ids.end() ? "" : "ranks share a GPU";
}

class MeetingOnHost : public Meeting {
 public:
  MeetingOnHost(Gpu& gpu, Ranks& ranks, const std::string& why)
      : gpu_(gpu), ranks_(ranks), why_(why) {}

  void begin(double* numbers, std::span<const std::size_t> first) override {
    const std::size_t count = first.back(), own = first[std::size_t(ranks_.rank())],
                      end = first[std::size_t(ranks_.rank()) + 1];
    if (count > count_) here_ = gpu_.allocate_pinned(count * sizeof(double)), count_ = count;
    double* const here = static_cast<double*>(here_.get());
    copy(here + own, numbers + own, end - own);
    gpu_.synchronize();
    ranks_.gather({here, count}, first);
    copy(numbers, here, own);
    copy(numbers + end, here + end, count - end);
  }
  bool can_be_captured() const override { return false; }
  std::string text() const override { return "on the host" + (why_.empty() ? "" : ": " + why_); }

 private:
  void copy(double* to, const double* from, std::size_t count) {
    gpu_.driver().copy(to, from, count * sizeof(double), gpu_.compute());
  }

  Gpu& gpu_;
  Ranks& ranks_;
  const std::string why_;
  std::shared_ptr<void> here_;
  std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<Meeting> meeting_on_gpus(Gpu& gpu, Ranks& ranks) {
  return std::make_unique<MeetingOnGpus>(gpu, ranks);
}

std::unique_ptr<Meeting> meeting_on_host(Gpu& gpu, Ranks& ranks, const std::string& why) {
  return std::make_unique<MeetingOnHost>(gpu, ranks, why);
}

std::unique_ptr<Meeting> meeting(Gpu& gpu, Ranks& ranks) {
  const std::string why = why_on_host(gpu, ranks);
  return why.empty() ? meeting_on_gpus(gpu, ranks) : meeting_on_host(gpu, ranks, why);
}

}  // namespace pinn::cuda
