#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Runs of one problem file that differ in some of its keys, side by side.
namespace pinn::sweep {

/// A key that is varied.
struct Axis {
  std::string key;                  ///< "stage.1.rate"
  std::vector<std::string> values;  ///< TOML, on one line each
};

/// One of the runs.
struct Member {
  std::string name;                    ///< of its folder: "layers-20x20_rate-0.003_seed-1"
  std::vector<std::string> values;     ///< one per axis
  std::uint64_t seed = 0;              ///< of its run
  std::vector<std::string> overrides;  ///< --set of its run, in order
  std::string data = {};               ///< SHA-256 of the files that its problem reads; or empty
};

/// A sweep: the runs to be trained.
struct Sweep {
  std::string problem;            ///< the file
  std::string name;               ///< its stem
  std::string text;               ///< what stands in it
  std::vector<std::string> sets;  ///< --set of all members
  std::vector<Axis> axes;
  std::vector<Member> members;  ///< seeds last, then the last axis
};

inline constexpr std::size_t most_members = 10'000;

/// Every combination of values, the last axis first, without a seed yet: its name is of the values
/// alone, so that members keep their folders when values are added.
std::vector<Member> combinations(const std::vector<Axis>& axes,
                                 const std::vector<std::string>& sets);
/// The member of a combination with this seed.
Member with_seed(Member combination, std::uint64_t seed);
/// A key as names and tables have it: its last part, where that is of one axis only.
std::string short_key(const std::vector<Axis>& axes, std::size_t axis);
/// "network.layers = [20, 20], stage.1.rate = 0.001"
std::string combination_text(const std::vector<Axis>& axes, const std::vector<std::string>& values);

/// How members stand.
enum class State { waiting, running, interrupted, done, promise_broken, diverged, failed };

/// How many members stand so.
struct Count {
  std::size_t waiting = 0, running = 0, interrupted = 0, done = 0, promise_broken = 0, diverged = 0,
              failed = 0;
};

/// How this process works on a sweep.
struct Work {
  std::string folder;   ///< of the sweep
  std::string trainer;  ///< the program that trains one member: pinn-train
  int jobs = 1, threads = 1;
  double max_time = 0;  ///< seconds, then all save and stop; 0: no limit
  bool waits = false;   ///< also for members that other processes have at work
  std::function<void(const std::string&)> tell = [](const std::string&) {};
};

/// True if a sweep was begun in a folder.
bool holds_sweep(const std::string& folder);
/// Errors: ConfigError where a link stands in the place of a member's folder, or a file: what is
/// written there would go elsewhere.
void require_member_folder(const std::string& path);
/// Makes the folder of a sweep, or checks that it holds this one.
///
///   errors   ConfigError when it holds another, or a run, or members of other data files, or links
void enter(const std::string& folder, const Sweep& sweep);

/// Trains the members that are not done and that no other process has at work, so many at once,
/// each by a process of its own. One that diverged is left as it is: it would do so again, to the
/// last bit. table.csv is written after each.
///
///   returns  why it ended before all was tried (a signal), or ""
///   errors   ConfigError when the problem file changed meanwhile; FileError
std::string train(const Sweep& sweep, const Work& work);

/// The members as they stand now, for people: a line each, where they are not too many, then of
/// every combination what its seeds came to, the best first; then what failed, and why.
std::string table(const std::string& folder, const Sweep& sweep);
/// Writes the same for programs: table.csv in the folder, a line per member.
void write_table(const std::string& folder, const Sweep& sweep);
Count count(const std::string& folder, const Sweep& sweep);

}  // namespace pinn::sweep
