#pragma once
#include <fmt/format.h>

#include <random>
#include <utility>

#include "tests/apps/program.h"
#include "tests/solvers/train/runs.h"

namespace pinn::test {

struct Kills {
  int kills = 0, in_write = 0, runs = 0;
  std::vector<std::string> findings;  ///< what was not as in the run that nobody disturbed
};

/// The same run again and again, disturbed by signals at random moments; each sitting but the last
/// is ended by one, and the run that comes of them is compared with one never disturbed.
class Killing {
 public:
  /// `signals`: those to choose from; what SIGSTOP stops goes on a moment later.
  Killing(const std::string& folder, const std::string& problem, std::vector<int> signals,
          unsigned seed)
      : folder_(folder), signals_(std::move(signals)), random_(seed) {
    std::filesystem::create_directories(folder_);
    write_atomically(folder_ + "/kill.toml", {problem});
    const Outcome outcome = Program("pinn-train", words("whole"), folder_).wait();
    if (outcome.code == 0) {
      whole_ = saved_state(folder_ + "/whole");
      metrics_ = metrics_of(folder_ + "/whole");
    } else {
      found(fmt::format("exit code {}\n{}", outcome.code, outcome.err));
    }
  }
  ~Killing() { std::filesystem::remove_all(folder_); }
  Killing(const Killing&) = delete;

  /// Disturbs until there were `wanted` kills, and finishes the last run.
  Kills operator()(int wanted) {
    while (count_.kills < wanted && count_.findings.empty()) {
      while (count_.kills < wanted && killed()) {
      }
      finish();
    }
    return count_;
  }

 private:
  std::vector<std::string> words(const std::string& out) {
    const std::string threads = sitting_++ % 2 == 0 ? "1" : "2";
    return {"kill.toml", "--out", out, "--resume", "--quiet", "--threads", threads};
  }

  void found(const std::string& what) {
    count_.findings.push_back(
        fmt::format("run {} after {} kills: {}", count_.runs, count_.kills, what));
  }

  void wait_a_moment() { ::usleep(std::uniform_int_distribution<useconds_t>(0, 40000)(random_)); }

  /// One sitting: lets it save once, so that every sitting gets further, waits, and ends it; false
  /// when it came to its end before that.
  bool killed() {
    const std::string file = folder_ + "/killed/checkpoint.h5";
    std::error_code none;
    const auto before = std::filesystem::last_write_time(file, none);
    Program program("pinn-train", words("killed"), folder_);
    const bool at_work = comes_true([&] {
      return !program.running() || (std::filesystem::exists(file, none) &&
                                    std::filesystem::last_write_time(file, none) != before);
    });
    if (!at_work) return found("it neither saved nor ended for a minute"), false;
    wait_a_moment();
    const int signal = signals_[random_() % signals_.size()];
    program.send(signal);
    if (signal == SIGSTOP) {
      wait_a_moment();
      program.send(SIGCONT);
      program.send(SIGKILL);
    }
    const Outcome outcome = program.wait();
    if (outcome.code == 0) return false;
    const int expected = signal == SIGSTOP ? SIGKILL : signal;
    const bool asked_to = outcome.code == 4;  // it saves and ends, as it promises
    if (outcome.signal != expected && !asked_to)
      found(fmt::format("after signal {}: exit code {}, signal {}\n{}", signal, outcome.code,
                        outcome.signal, outcome.err));
    ++count_.kills;
    count_.in_write += !std::filesystem::exists(file, none) || !drafts(folder_ + "/killed").empty();
    return count_.findings.empty();
  }

  void finish() {
    const Outcome outcome = Program("pinn-train", words("killed"), folder_).wait();
    if (outcome.code != 0) return found(fmt::format("exit code {}\n{}", outcome.code, outcome.err));
    if (!identical(saved_state(folder_ + "/killed"), whole_)) found("its state differs");
    if (metrics_of(folder_ + "/killed") != metrics_) found("its metrics.jsonl differs");
    std::filesystem::remove_all(folder_ + "/killed");
    ++count_.runs;
  }

  const std::string folder_;
  const std::vector<int> signals_;
  TrainState whole_;
  std::string metrics_;
  Kills count_;
  int sitting_ = 0;
  std::mt19937 random_;
};

}  // namespace pinn::test
