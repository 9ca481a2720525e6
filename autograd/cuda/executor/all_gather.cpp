#include "autograd/cuda/executor/executor.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "autograd/core/error.h"

namespace pinn::cuda {
namespace {

/// Join that runs on another thread, as it knows nothing of patience; it may outlive who waits.
struct JoinTask {
  std::atomic<bool> done = false;
  Group group = nullptr;
  std::exception_ptr failed;
};

/// A first gather: with it GPUs are connected, for which the host waits.
void connect(Driver& driver, Group group, std::size_t count) {
  std::vector<std::size_t> first(count + 1);
  std::iota(first.begin(), first.end(), 0);
  const std::shared_ptr<StreamHandle> stream(
      driver.create_stream(), [&](Stream s) { quietly([&] { driver.destroy(s); }); });
  const std::shared_ptr<void> numbers(driver.allocate(count * sizeof(double)), [&](void* memory) {
    if (memory) quietly([&] { driver.release(memory); });
  });
  if (!numbers)
    throw DeviceError({"a GPU has no memory left for a number of each rank", "sums over GPUs",
                       "lower the number of points"});
  driver.zero(numbers.get(), count * sizeof(double), stream.get());
  driver.gather(group, static_cast<double*>(numbers.get()), first, stream.get());
  driver.synchronize(stream.get());
}

/// The name of a group to be, which rank 0 makes.
std::string agreed_name(Gpu& gpu, Ranks& ranks) {
  std::string name;
  std::exception_ptr failed;
  try {
    if (ranks.rank() == 0) name = gpu.driver().new_group();
  } catch (const DeviceError&) {
    failed = std::current_exception();
  }
  name = from_first(ranks, name);
  if (failed) std::rethrow_exception(failed);
  if (name.empty())
    throw DeviceError({"rank 0 cannot make a group of GPUs", "sums over GPUs", "see what it says"});
  return name;
}

Group joined(Gpu& gpu, Ranks& ranks) {
  const std::string name = agreed_name(gpu, ranks);
  const auto joining = std::make_shared<JoinTask>();
  std::thread([joining, name, gpu = gpu.shared_from_this(), rank = ranks.rank(),
               count = ranks.count()] {
    try {
      joining->group = gpu->driver().join(name, rank, count);
      connect(gpu->driver(), joining->group, std::size_t(count));
    } catch (...) {
      joining->failed = std::current_exception();
      if (joining->group) quietly([&] { gpu->driver().leave(joining->group); });
    }
    joining->done = true;
  }).detach();
  ranks.wait_until([&] { return joining->done.load(); });
  if (joining->failed) std::rethrow_exception(joining->failed);
  return joining->group;
}

class GatherOnGpus : public AllGather {
 public:
  GatherOnGpus(Gpu& gpu, Ranks& ranks)
      : gpu_(gpu), ranks_(ranks), made_of_(gpu.driver().groups()), group_(joined(gpu, ranks)) {
    gpu_.wait_by([this](const std::function<bool()>& done) { wait(done); });
  }
  ~GatherOnGpus() override {
    if (group_ && std::uncaught_exceptions() == 0)
      quietly([this] {  // others may still read what this GPU has sent
        gpu_.synchronize();
        const double here = 0;
        gathered(ranks_, {&here, 1});
      });
    gpu_.wait_by({});
    if (group_) quietly([this] { gpu_.driver().leave(group_); });
    if (parting_.joinable()) parting_.join();
  }

  void begin(double* numbers, std::span<const std::size_t> first) override {
    if (!group_)
      throw InternalError({"ranks that have parted are to meet", "AllGather::begin", ""});
    gpu_.driver().gather(group_, numbers, first, gpu_.compute());
  }
  bool can_be_captured() const override { return true; }
  std::string text() const override { return "by " + made_of_; }

  /// Ends what was begun, on another thread: NCCL waits until graphs with work of the group are
  /// destroyed, and who does that waits for the GPU before.
  void part() {
    gpu_.wait_by({});
    if (group_)
      parting_ = std::thread([group = std::exchange(group_, nullptr), &gpu = gpu_] {
        quietly([&] { gpu.driver().leave(group); });
      });
  }

 private:
  void wait(const std::function<bool()>& done) {
    try {
      ranks_.wait_until([&] {
        if (done()) return true;
        gpu_.driver().require_whole(group_);
        return false;
      });
    } catch (...) {
      part();
      throw;
    }
  }

  Gpu& gpu_;
  Ranks& ranks_;
  const std::string made_of_;
  Group group_;
  std::thread parting_;
};

/// The first of the ranks' texts that says anything.
std::string first_said(Ranks& ranks, const std::string& own) {
  for (const std::string& text : gathered(ranks, own))
    if (!text.empty()) return text;
  return "";
}

/// Why GPUs of these ranks do not meet on their own; empty: they do. All ranks get one answer.
std::string why_on_host(Gpu& gpu, Ranks& ranks) {
  std::string version, missing;
  try {
    version = gpu.driver().groups();
  } catch (const DeviceError& error) {
    missing = error.report.what;
  }
  if (const std::string text = first_said(ranks, missing); !text.empty()) return text;
  std::vector<std::string> versions = gathered(ranks, version);
  std::ranges::sort(versions);
  if (versions.front() != versions.back())
    return versions.front() + " and " + versions.back() + " do not meet";
  std::vector<std::string> ids = gathered(ranks, gpu.info().id);
  std::ranges::sort(ids);
  return std::ranges::adjacent_find(ids) == ids.end() ? "" : "ranks share a GPU";
}

class GatherOnHost : public AllGather {
 public:
  GatherOnHost(Gpu& gpu, Ranks& ranks, const std::string& why)
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

class GatherWhenNeeded : public AllGather {
 public:
  GatherWhenNeeded(Gpu& gpu, Ranks& ranks, std::function<void(const std::string&)> tell)
      : gpu_(gpu), ranks_(ranks), tell_(std::move(tell)) {}

  void begin(double* numbers, std::span<const std::size_t> first) override {
    if (!gather_) {
      gather_ = gather(gpu_, ranks_);
      tell_("sums of GPUs meet " + gather_->text());
    }
    gather_->begin(numbers, first);
  }
  bool can_be_captured() const override { return gather_ && gather_->can_be_captured(); }
  std::string text() const override { return gather_ ? gather_->text() : "nowhere yet"; }

 private:
  Gpu& gpu_;
  Ranks& ranks_;
  const std::function<void(const std::string&)> tell_;
  std::unique_ptr<AllGather> gather_;
};

}  // namespace

std::unique_ptr<AllGather> gather_on_gpus(Gpu& gpu, Ranks& ranks) {
  return std::make_unique<GatherOnGpus>(gpu, ranks);
}

std::unique_ptr<AllGather> gather_on_host(Gpu& gpu, Ranks& ranks, const std::string& why) {
  return std::make_unique<GatherOnHost>(gpu, ranks, why);
}

std::unique_ptr<AllGather> gather(Gpu& gpu, Ranks& ranks) {
  std::string why = why_on_host(gpu, ranks);
  if (!why.empty()) return gather_on_host(gpu, ranks, why);
  std::unique_ptr<GatherOnGpus> there;
  try {
    there = std::make_unique<GatherOnGpus>(gpu, ranks);
  } catch (const DeviceError& error) {
    why = error.report.what;
  }
  why = first_said(ranks, why);
  if (why.empty()) return there;
  if (there) there->part();
  return gather_on_host(gpu, ranks, why);
}

std::unique_ptr<AllGather> gather_when_needed(Gpu& gpu, Ranks& ranks,
                                              std::function<void(const std::string&)> tell) {
  return std::make_unique<GatherWhenNeeded>(gpu, ranks, std::move(tell));
}

}  // namespace pinn::cuda
