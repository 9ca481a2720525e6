#include "autograd/core/parallel.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

namespace pinn {
namespace {

/// Processors that a control group's quota allows, rounded up; a large number where there is none.
int quota() {
  std::ifstream v2("/sys/fs/cgroup/cpu.max");
  std::string limit;
  double period = 0;
  if (v2 >> limit >> period && limit != "max" && period > 0)
    return std::max(1, int((std::stod(limit) + period - 1) / period));
  std::ifstream v1("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
      v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  double allowed = 0;
  if (v1 >> allowed && v1_period >> period && allowed > 0 && period > 0)
    return std::max(1, int((allowed + period - 1) / period));
  return 1 << 16;
}

/// As ThreadPool::run, by this thread alone.
void run_here(int count, const std::function<void(int)>& task) {
  std::exception_ptr error;
  for (int i = 0; i < count; ++i) try {
      task(i);
    } catch (...) {
      if (!error) error = std::current_exception();
    }
  if (error) std::rethrow_exception(error);
}

/// Waits a little for something that will likely come soon: to sleep and to be woken takes longer
/// than a small step.
template <class Condition> void watch(Condition&& come) {
  constexpr int looks = 50;  // some ten microseconds, if no other process wants the processor
  for (int i = 0; i < looks && !come(); ++i) std::this_thread::yield();
}

}  // namespace

int available_threads() {
  cpu_set_t set;
  int count = int(std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
  return std::clamp(count, 1, quota());
}

ThreadPool::ThreadPool(int threads) {
  try {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (...) {  // no memory for one more: those that run must end before they are joined
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    ++calls_;
  }
  wake_.notify_all();
}

void ThreadPool::run(int count, const std::function<void(int)>& task) {
  std::unique_lock lock(mutex_);
  if (task_) {
    lock.unlock();
    return run_here(count, task);
  }
  task_ = &task;
  count_ = count;
  next_ = 0;
  error_ = nullptr;
  if (count > 1) {
    ++calls_;
    wake_.notify_all();
  }
  take_tasks(lock);
  if (running_ > 0) {
    lock.unlock();
    watch([this] { return running_ == 0; });
    lock.lock();
  }
  done_.wait(lock, [this] { return running_ == 0; });
  task_ = nullptr;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadPool::take_tasks(std::unique_lock<std::mutex>& lock) {
  while (task_ && next_ < count_) {
    const int mine = next_++;
    ++running_;
    lock.unlock();
    std::exception_ptr error;
    try {
      (*task_)(mine);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && (!error_ || mine < failed_)) {
      error_ = error;
      failed_ = mine;
    }
    if (--running_ == 0) done_.notify_all();
  }
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    take_tasks(lock);
    const unsigned seen = calls_;
    if (stopping_) return;
    lock.unlock();
    watch([&] { return calls_ != seen; });
    lock.lock();
    wake_.wait(lock, [this] { return stopping_ || (task_ && next_ < count_); });
  }
}

void run_tasks(ThreadPool* threads, int count, const std::function<void(int)>& task) {
  if (threads) return threads->run(count, task);
  for (int i = 0; i < count; ++i) task(i);
}

}  // namespace pinn
