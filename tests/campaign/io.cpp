/// campaign-io PERCENT SEED FOLDER: every call by which a run reaches its folder fails, is cut
/// short or is where the process is killed, one call in each run; of all runs there are, so many
/// percent. Afterwards the run must go on, on a disk that works again, and end as one that nobody
/// disturbed, to the last bit; what it said of the failure has an exit code of its own and says
/// what to do.
#include <fmt/format.h>

#include <random>

#include "tests/apps/program.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* run_name = "shimmed-run";
const std::vector<std::string> hows = {"kill",
                                       "short",
                                       std::to_string(EIO),
                                       std::to_string(ENOSPC),
                                       std::to_string(EINTR),
                                       std::to_string(EMFILE),
                                       std::to_string(EACCES)};

class Disturbing {
 public:
  explicit Disturbing(const Folder& folder) : folder_(folder) {
    std::string text = small_problem;
    text.insert(text.find("[run]\n") + 6, "checkpoint = { every = 4, minutes = 0 }\n");
    folder_.file("p.toml", text);
    half();
    for (const bool resumed : {false, true}) {
      begin(resumed);
      plain({"--set", "stage.1.steps=20"});
      whole_[resumed] = saved_state(place());
    }
  }

  /// The calls of a fresh run, or of one that goes on.
  long calls(bool resumed) {
    begin(resumed);
    shimmed(0, "0");
    return std::atol(read_file(folder_ / "count").c_str());
  }

  /// Finding when the n-th call ends so, or nothing.
  std::string finding(bool resumed, long n, const std::string& how) {
    begin(resumed);
    const Outcome hit = shimmed(n, how);
    if (how == "kill" ? hit.signal != SIGKILL && hit.code != 0 && hit.code != 5 && hit.code != 1
                      : hit.code != 0 && hit.code != 1 && hit.code != 5)
      return fmt::format("exit code {}, signal {}\n{}", hit.code, hit.signal, hit.err);
    if (hit.code > 0 && (hit.err.find("error: ") == std::string::npos ||
                         hit.err.find("fix: ") == std::string::npos))
      return fmt::format("exit code {} without what to do\n{}", hit.code, hit.err);
    const Outcome after = plain({"--set", "stage.1.steps=20"});
    if (after.code != 0) return fmt::format("afterwards exit code {}\n{}", after.code, after.err);
    return identical(saved_state(place()), whole_[resumed]) ? "" : "afterwards the state differs";
  }

 private:
  std::string place() const { return folder_ / run_name; }
  Outcome plain(std::vector<std::string> more) {
    std::vector<std::string> words = {"p.toml", "--out", run_name, "--resume", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return pinn_train(folder_, words);
  }
  /// A run of 10 of its 20 steps, kept aside.
  void half() {
    plain({"--set", "stage.1.steps=10"});
    fs::copy(place(), folder_ / "half", fs::copy_options::recursive);
  }
  void begin(bool resumed) {
    fs::remove_all(place());
    if (resumed) fs::copy(folder_ / "half", place(), fs::copy_options::recursive);
  }
  Outcome shimmed(long n, const std::string& how) {
    ::setenv("LD_PRELOAD", PINN_SHIM, 1);
    ::setenv("PINN_SHIM_FOLDER", run_name, 1);
    ::setenv("PINN_SHIM_CALL", std::to_string(n).c_str(), 1);
    ::setenv("PINN_SHIM_HOW", how.c_str(), 1);
    ::setenv("PINN_SHIM_COUNT", n == 0 ? (folder_ / "count").c_str() : "", 1);
    Program program(
        "pinn-train",
        {"p.toml", "--out", run_name, "--resume", "--quiet", "--set", "stage.1.steps=20"},
        folder_.path);
    ::unsetenv("LD_PRELOAD");
    return program.wait();
  }

  const Folder& folder_;
  TrainState whole_[2];  ///< of a fresh run, and of one that went on
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return fmt::print(stderr, "usage: campaign-io PERCENT SEED FOLDER\n"), 2;
  const double share = std::atof(argv[1]) / 100;
  std::mt19937 random(unsigned(std::atoi(argv[2])));
  const Folder folder;
  Disturbing disturbing(folder);
  int done = 0, findings = 0;
  for (const bool resumed : {false, true}) {
    const long calls = disturbing.calls(resumed);
    if (calls < 20) ++findings, fmt::print("finding: only {} calls were seen\n", calls);
    for (long n = 1; n <= calls; ++n)
      for (const std::string& how : hows) {
        if (double(random()) > share * double(std::mt19937::max())) continue;
        ++done;
        const std::string what = disturbing.finding(resumed, n, how);
        if (what.empty()) continue;
        ++findings;
        fmt::print("finding: {} run, call {} of {}, {}: {}\n", resumed ? "resumed" : "fresh", n,
                   calls, how, what);
        std::fflush(stdout);
      }
  }
  fmt::print("failed calls {}: {} findings\n", done, findings);
  return findings > 0 ? 1 : 0;
}
