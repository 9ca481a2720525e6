#pragma once
#include <csignal>
#include <functional>
#include <optional>
#include <string>

#include "solvers/watch/follow_view.h"

namespace pinn {

/// How a run ended that was followed.
enum class RunEnd {
  done,
  interrupted,  ///< by a signal, or its time was over: its state is saved
  diverged,
  silent,  ///< without a word: it was killed, or failed
};

/// The same of a run that nobody trains, by its status.json; and for people.
RunEnd end_of(const std::string& status);
std::string end_text(RunEnd end, const std::string& folder);

/// The text of a run's status.json; empty where there is none.
std::string status_json_of(const std::string& folder);

/// Errors: ConfigError when there is no such folder, or it holds no run and nobody begins one.
void require_run_to_follow(const std::string& folder);

/// While it lives signals that end a process are noted. One per process.
class Leaving {
 public:
  Leaving();
  ~Leaving();
  Leaving(const Leaving&) = delete;

  /// Waits for so long, or until such a signal comes; false where one came.
  static bool wait(double seconds);

 private:
  static constexpr int kinds[] = {SIGINT, SIGTERM, SIGHUP};
  void (*before_[3])(int);
};

/// Screen that a run is shown on; a test puts strings and numbers there.
struct FollowScreen {
  std::function<void(const std::string&)> write;
  /// Current look of the terminal; nothing where there is none: then lines are written.
  std::function<std::optional<TerminalLook>()> look;
  std::function<double()> clock;  ///< seconds
  /// Waits for so long; false where the user wants to go.
  std::function<bool(double seconds)> wait;
};

/// The standard output of this process, and its signals.
FollowScreen standard_output();

/// Shows the run of a folder for as long as a process trains it, and says how it ended. Writes
/// nothing into the folder. On a terminal the picture is drawn over again at the same place; else a
/// line is written after 1 s, 2.5 s, ... , then once a minute.
///
///   returns  nothing where the user went before its end
///   errors   ConfigError when there is no such folder, or it holds no run
std::optional<RunEnd> follow(const std::string& folder, const FollowScreen& screen);

}  // namespace pinn
