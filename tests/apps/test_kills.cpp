#include <fmt/format.h>

#include <random>

#include "tests/apps/program.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace fs = std::filesystem;

namespace {

/// An unknown, points drawn anew, a change of stage at step 40, a checkpoint every third step; the
/// second stage's matrix makes a checkpoint of about 1 MiB, whose writing takes a large share.
constexpr const char* problem = R"toml([problem]
coordinates = { x = [-1.0, 1.0] }
fields      = ["u"]
unknowns    = { k = { start = 0.3, min = 0.01, max = 20, scale = "log" } }

[[equation]]
name     = "poisson"
residual = "u_xx = -k*sin(pi*x)"
points   = { count = 20, redraw = 7 }

[[condition]]
on       = ["x = -1", "x = 1"]
residual = "u = 0"

[[condition]]
on       = "x = 0.5"
residual = "u = 1"

[network]
layers = [19, 19]

[[stage]]
optimizer = "adam"
steps     = 40

[[stage]]
optimizer = "ssbroyden"
steps     = 80

[run]
checkpoint = { every = 3, minutes = 0 }

[output]
grid = { x = 11 }
)toml";

struct Count {
  int kills = 0, in_write = 0, runs = 0;
};

/// The same run again and again, killed at random moments.
class Killing {
 public:
  explicit Killing(const std::string& folder) : folder_(folder) {
    fs::create_directories(folder_);
    write_atomically(folder_ + "/kill.toml", {problem});
    REQUIRE(Program("pinn-train", words("whole"), folder_).wait().code == 0);
    whole_ = saved_state(folder_ + "/whole");
    metrics_ = metrics_of(folder_ + "/whole");
  }
  ~Killing() { fs::remove_all(folder_); }

  /// Kills until there were `wanted` kills, and finishes the last run.
  Count operator()(int wanted) {
    while (count_.kills < wanted) {
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

  /// One sitting: lets it save once, so that every sitting gets further, waits, and kills it; false
  /// when it came to its end before that.
  bool killed() {
    const std::string file = folder_ + "/killed/checkpoint.h5";
    std::error_code none;
    const auto before = fs::last_write_time(file, none);
    Program program("pinn-train", words("killed"), folder_);
    const bool at_work = comes_true([&] {
      return !program.running() || (fs::exists(file) && fs::last_write_time(file, none) != before);
    });
    REQUIRE(at_work);
    ::usleep(std::uniform_int_distribution<useconds_t>(0, 40000)(random_));
    const Outcome outcome = program.stop(SIGKILL);
    if (outcome.signal != SIGKILL) {
      CHECK(outcome.code == 0);
      return false;
    }
    ++count_.kills;
    count_.in_write += !drafts(folder_ + "/killed").empty() || !fs::exists(file);
    return true;
  }

  void finish() {
    INFO("run " << count_.runs << " after " << count_.kills << " kills");
    const Outcome outcome = Program("pinn-train", words("killed"), folder_).wait();
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(identical(saved_state(folder_ + "/killed"), whole_));
    CHECK(metrics_of(folder_ + "/killed") == metrics_);
    fs::remove_all(folder_ + "/killed");
    ++count_.runs;
  }

  const std::string folder_;
  TrainState whole_;
  std::string metrics_;
  Count count_;
  int sitting_ = 0;
  std::mt19937 random_{7};
};

/// On a real disk, where fsync waits and a kill finds it waiting.
std::string place(const std::string& name) {
  return fmt::format("{}/{}-{}", PINN_BINARY_DIR, name, ::getpid());
}

}  // namespace

TEST_CASE("a run killed twenty times ends as one never disturbed, to the last bit",
          "[apps][kills]") {
  Killing killing(place("kills"));
  CHECK(killing(20).kills == 20);
}

TEST_CASE("400 kills, at least 50 of them inside a write, lose nothing", "[apps][kills][slow]") {
  Killing killing(place("many-kills"));
  const Count count = killing(400);
  WARN(count.kills << " kills, " << count.in_write << " inside a write, in " << count.runs
                   << " runs");
  CHECK(count.in_write >= 50);
}
