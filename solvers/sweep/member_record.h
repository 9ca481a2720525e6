#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solvers/sweep/sweep.h"

namespace pinn::sweep {

/// Exit codes, as those of pinn-train; those of signals as shells have them.
inline constexpr int code_diverged = 3, code_interrupted = 4, code_promise_broken = 8,
                     code_not_started = 127, code_of_signals = 128;

/// Results of the run of a member, out of its checkpoint.
struct Results {
  double steps = 0, parameters = 0, seconds = 0, held_out = 0;  ///< NaN: not known
  /// "error:u", "unknown:nu", "value:drag": of the network that is the result. In windows of time
  /// an error is the largest of those of the windows.
  std::vector<std::pair<std::string, double>> numbers;
};
Results results_of(const std::string& run_folder);

/// Record of a member, a file in its folder.
struct MemberRecord {
  std::int64_t sittings = 0;  ///< begun so far
  /// How the last one ended: the exit code, 128 and more for signals, as shells have it. Nothing:
  /// it is at work, or was killed together with who began it.
  std::optional<int> code;
  std::string error;                   ///< in a line, where it failed
  std::vector<std::string> overrides;  ///< of its run
  std::string data;                    ///< see Member
  std::optional<Results> results;
};

inline constexpr const char* record_name = "member.json";
inline constexpr const char* log_name = "log.txt";

/// None where there is no such file.
MemberRecord read_record(const std::string& member_folder);
void write_record(const std::string& member_folder, const MemberRecord& record);

/// How a member stands that is not at work.
State state_of(const MemberRecord& record);
/// How a member stands. It is at work where somebody has locked it, or trains in its folder.
State state_of(const std::string& member_folder, const MemberRecord& record);
/// The same in words: "done", "failed (5)".
std::string state_text(State state, const MemberRecord& record);

/// The exit code that a member's record has, of that of its process: one that was told to stop
/// before it listened was interrupted.
int exit_code_of(int code, bool stopping);

/// Why a process that ended with this code failed, in a line: the last error in its log behind a
/// byte, else the last words there; "" where it did not fail.
std::string error_in(const std::string& log, std::size_t from, int code);

}  // namespace pinn::sweep
