#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "bench/journal.h"

namespace pinn::bench {

/// A size from /proc/self/status in bytes: "VmHWM", the most memory ever resident, or "RssAnon",
/// what is resident now and backed by no file. 0 where the system does not say.
std::int64_t status_bytes(const std::string& key);

/// Makes VmHWM start anew from what is resident now.
void reset_resident_peak();

/// The most anonymous memory resident while it lives, looked at every millisecond.
class AnonymousPeak {
 public:
  AnonymousPeak();
  std::int64_t bytes();

 private:
  std::atomic<std::int64_t> peak_ = 0;
  std::jthread watcher_;
};

/// The same workload with these options in a process of its own, whose memory nothing before has
/// touched. Its lines go where ours go; what was wrong there is wrong here.
void run_apart(const Options& options, Journal& journal);

}  // namespace pinn::bench
