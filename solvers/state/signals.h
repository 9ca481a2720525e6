#pragma once
#include <signal.h>

#include <string>
#include <utility>
#include <vector>

namespace pinn {

/// Makes a run end in good order. While it lives, SIGINT, SIGTERM, SIGHUP and SIGUSR1 (what batch
/// systems send before they kill) are noted for the loop to see after its step, or those made at
/// once; another SIGINT or SIGTERM, more than a second later, ends the process at once, with exit
/// code 4. Broken pipes and limits on file sizes become errors of the calls that meet them. One per
/// process.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;

  /// The first signal caught; 0 when none was.
  static int caught();

 private:
  void handle(int signal, void (*handler)(int));

  std::vector<std::pair<int, struct sigaction>> before_;
};

/// Why a run should stop now, or "": a signal, where one is looked for, or the time.
///
///   max_time   seconds since `started`, which counts as clock() does; 0: no limit
std::string reason_to_stop(bool by_signal, double max_time, double started);

/// Seconds of a clock that no change of date disturbs.
double clock();

}  // namespace pinn
