#include "solvers/state/signals.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

namespace pinn {
namespace {

// A signal handler reaches nothing but statics.
std::atomic<int> first_signal = 0;
std::atomic<double> first_at = 0;  ///< as clock() counts
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<double>::is_always_lock_free);
constexpr double at_once = 1;  ///< seconds in which launchers may say the same twice

constexpr int stopping[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
constexpr int ignored[] = {SIGPIPE, SIGXFSZ};
constexpr int interrupted = 4;  ///< the exit code

/// Notes the first signal. A closing terminal and batch systems send several kinds, and launchers
/// hand on what processes have got already: only a later SIGINT or SIGTERM counts as impatience.
extern "C" void note(int signal) {
  int none = 0;
  if (first_signal.compare_exchange_strong(none, signal))
    first_at = clock();
  else if ((signal == SIGINT || signal == SIGTERM) && clock() > first_at + at_once)
    ::_exit(interrupted);
}

std::string name_of(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT (Ctrl-C)";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP (the terminal closed)";
    default:
      return "SIGUSR1";
  }
}

}  // namespace

Signals::Signals() {
  first_signal = 0;
  for (const int signal : stopping) handle(signal, note);
  for (const int signal : ignored) handle(signal, SIG_IGN);
}

Signals::~Signals() {
  for (const auto& [signal, action] : before_) ::sigaction(signal, &action, nullptr);
}

void Signals::handle(int signal, void (*handler)(int)) {
  struct sigaction action = {}, before = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, &before);
  if (before.sa_handler == SIG_IGN) ::sigaction(signal, &before, nullptr);
  before_.push_back({signal, before});
}

int Signals::caught() { return first_signal; }

std::string reason_to_stop(bool by_signal, double max_time, double started) {
  if (const int signal = by_signal ? Signals::caught() : 0) return name_of(signal);
  if (max_time > 0 && clock() - started >= max_time)
    return fmt::format("the time limit of {:g} s", max_time);
  return "";
}

double clock() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace pinn
