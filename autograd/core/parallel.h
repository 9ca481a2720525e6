#pragma once
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pinn {

/// A fixed number of threads that share out numbered tasks. The calling thread is one of them.
///
/// The result of a task may not depend on the thread that runs it: then results do not depend on
/// the number of threads either.
class ThreadPool {
 public:
  /// Errors: std::system_error when the system has no more threads or memory for their stacks.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;

  int threads() const { return int(workers_.size()) + 1; }
  /// Runs task(0) ... task(count - 1) and returns when all are done; rethrows the exception of the
  /// lowest-numbered task that failed. A task may call it again, and so may other threads
  /// meanwhile: a caller that finds the pool busy runs all its tasks alone, in order.
  void run(int count, const std::function<void(int)>& task);

 private:
  void work();
  void stop();
  void take_tasks(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int)>* task_ = nullptr;
  int count_ = 0, next_ = 0, failed_ = 0;
  std::exception_ptr error_;
  bool stopping_ = false;
  std::atomic<int> running_ = 0;     ///< tasks; changed under the lock, watched without
  std::atomic<unsigned> calls_ = 0;  ///< of run and stop, the same
  std::vector<std::jthread> workers_;
};

/// Runs task(0) ... task(count - 1), on these threads where there are some.
void run_tasks(ThreadPool* threads, int count, const std::function<void(int)>& task);

/// How many threads this process may use: its CPU affinity, and the quota of its control group.
int available_threads();

}  // namespace pinn
