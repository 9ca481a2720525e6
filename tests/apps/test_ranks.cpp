// Several processes that train one run, started by mpirun.
#include <fmt/format.h>

#include <fstream>

#include "tests/apps/launch.h"
#include "tests/apps/program.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// An unknown, points drawn anew and chosen by the residual, weights that change, two optimizers.
constexpr const char* inverse_problem = R"toml([problem]
coordinates = { x = [-1.0, 1.0] }
fields      = ["u"]
unknowns    = { k = { start = 0.3, min = 0.01, max = 20, scale = "log" } }

[[equation]]
name     = "poisson"
residual = "u_xx = -k*sin(pi*x)"
points   = { count = 300, redraw = 7 }

[[condition]]
on       = ["x = -1", "x = 1"]
residual = "u = 0"

[network]
layers = [19, 19]

[[stage]]
optimizer = "adam"
steps     = 40
weighting = { kind = "grad_norm", every = 7 }

[[stage]]
optimizer = "ssbroyden"
steps     = 60
sampling  = { kind = "rad", every = 9, candidates = 2000 }

[run]
checkpoint = { every = 3, minutes = 0 }
threads    = 1

[output]
grid = { x = 11 }
)toml";

/// The same for long enough to be disturbed.
std::vector<std::string> endless() {
  return {"ranks.toml", "--out", "run", "--set", "stage.1.steps=1000000", "--resume", "--quiet"};
}

std::vector<pid_t> children(pid_t parent) {
  std::ifstream in(fmt::format("/proc/{0}/task/{0}/children", parent));
  std::vector<pid_t> all;
  for (pid_t child; in >> child;) all.push_back(child);
  return all;
}

/// Waits until it is at work.
bool saves(const Program& program, const Folder& folder) {
  const std::string file = folder / "run/checkpoint.h5";
  return comes_true([&] { return !program.running() || std::filesystem::exists(file); }) &&
         program.running();
}

}  // namespace

TEST_CASE("processes train to the state of one, and the first one alone tells and writes",
          "[apps][ranks]") {
  if (skips(lack_of_mpi())) return;
  const Folder folder;
  folder.file("ranks.toml", inverse_problem);
  const Outcome one = pinn_train(folder, {"ranks.toml", "--out", "one"});
  REQUIRE(one.code == 0);
  REQUIRE(count(one.out, "look: ") == 1);
  for (const int ranks : {2, 3}) {
    const std::string out = fmt::format("with-{}", ranks);
    const Outcome many =
        Program(mpiexec, launch(ranks, {"ranks.toml", "--out", out}), folder.path).wait();
    INFO(many.out << many.err);
    REQUIRE(many.code == 0);
    CHECK(identical(saved_state(folder / out), saved_state(folder / "one")));
    CHECK(metrics_of(folder / out) == metrics_of(folder / "one"));
    CHECK_THAT(many.err, Contains(fmt::format("{} ranks x 1 thread,", ranks)));
    CHECK(count(many.err, "parameters, seed") == 1);
    CHECK(count(many.out, "look: ") == 1);
  }
}

TEST_CASE("processes that share an inverse Hessian out save what one process saves",
          "[apps][ranks]") {
  if (skips(lack_of_mpi())) return;
  const Folder folder;
  folder.file("ranks.toml", inverse_problem);
  const std::string larger = "network.layers=[24,25]";  // of 700 parameters
  REQUIRE(pinn_train(folder, {"ranks.toml", "--out", "one", "--set", larger}).code == 0);
  const TrainState one = saved_state(folder / "one");
  REQUIRE(one.memory.back().tensors.at("inverse_hessian").numel() == 700 * 701 / 2);
  for (const int ranks : {2, 3}) {
    const std::string out = fmt::format("with-{}", ranks);
    std::vector<std::string> words = {"ranks.toml", "--out", out, "--set", larger};
    const Outcome many = Program(mpiexec, launch(ranks, words), folder.path).wait();
    INFO(many.out << many.err);
    REQUIRE(many.code == 0);
    CHECK(identical(saved_state(folder / out), one));
  }
  const Outcome plan =
      Program(mpiexec, launch(3, {"ranks.toml", "--set", larger, "--check"}), folder.path).wait();
  CHECK_THAT(plan.out, Contains(" MiB on each of 3 ranks\n"));
}

TEST_CASE("a run whose ranks are killed goes on on another number of them, to the last bit",
          "[apps][ranks][kills]") {
  if (skips(lack_of_mpi())) return;
  const Folder folder;
  folder.file("ranks.toml", inverse_problem);
  const std::string longer = "stage.2.steps=1500";  // than the time to a kill
  REQUIRE(pinn_train(folder, {"ranks.toml", "--out", "one", "--set", longer}).code == 0);
  const std::vector<std::string> words = {"ranks.toml", "--out", "run", "--resume",
                                          "--quiet",    "--set", longer};
  for (const int ranks : {2, 3}) {
    const auto written = [&] {
      std::error_code none;
      return std::filesystem::last_write_time(folder / "run/checkpoint.h5", none);
    };
    const auto before = written();
    Program program(mpiexec, launch(ranks, words), folder.path);
    REQUIRE(comes_true([&] { return !program.running() || written() != before; }));
    const std::vector<pid_t> processes = children(program.id());
    if (!processes.empty()) ::kill(processes.back(), SIGKILL);
    const Outcome outcome = program.wait();
    REQUIRE(outcome.code != 0);
    CHECK_THAT(outcome.err, Contains("rank " + std::to_string(ranks - 1)));  // mpirun says so
  }
  REQUIRE(pinn_train(folder, words).code == 0);
  CHECK(identical(saved_state(folder / "run"), saved_state(folder / "one")));
}

TEST_CASE("where one process stands still all end, and the others say which",
          "[apps][ranks][errors]") {
  if (skips(lack_of_mpi())) return;
  const Folder folder;
  folder.file("ranks.toml", inverse_problem);
  std::vector<std::string> words = endless();
  for (const char* word : {"--rank-patience", "5"}) words.push_back(word);
  Program program(mpiexec, launch(3, words), folder.path);
  REQUIRE(saves(program, folder));
  const std::vector<pid_t> processes = children(program.id());
  REQUIRE(processes.size() == 3);
  ::kill(processes[1], SIGSTOP);
  const Outcome outcome = program.wait();
  CHECK(outcome.code == 9);
  CHECK_THAT(outcome.err, Contains("error: rank 1 of 3, on ") &&
                              Contains(", is silent for more than 5 s: all ranks end here"));
  CHECK(count(outcome.err, "is silent") == 1);
}

TEST_CASE("a process that fails alone ends all, with its text and its exit code",
          "[apps][ranks][errors]") {
  if (skips(lack_of_mpi())) return;
  const Folder folder;
  folder.file("ranks.toml", inverse_problem);
  const std::string patience = "--rank-patience=5";  // as long as others take to end after that
  std::vector<std::string> words = launch(1, {"ranks.toml", "--out", "run", patience, ":"});
  for (const char* word : {"-n", "1", PINN_BINARY_DIR "/pinn-train", "none.toml"})
    words.push_back(word);
  words.push_back(patience);
  const Outcome outcome = Program(mpiexec, words, folder.path).wait();
  INFO(outcome.err);
  CHECK(outcome.code == pinn_train(folder, {"none.toml"}).code);
  CHECK_THAT(outcome.err,
             Contains("rank 1 of 2, on ") && Contains(": error: ") && Contains("none.toml"));
  CHECK(count(outcome.err, "is silent") == 0);
  CHECK_FALSE(std::filesystem::exists(folder / "run/checkpoint.h5"));
}

TEST_CASE(
    "processes with other arguments than the first are found, and one that has left is not waited "
    "for",
    "[apps][ranks][errors]") {
  if (skips(lack_of_mpi())) return;
  const Folder folder;
  folder.file("ranks.toml", inverse_problem);
  const auto beside = [&](const char* argument) {
    std::vector<std::string> words = launch(1, {"ranks.toml", "--out", "run", ":"});
    for (const char* word : {"-n", "1", PINN_BINARY_DIR "/pinn-train", "ranks.toml", argument})
      words.push_back(word);
    return Program(mpiexec, words, folder.path).wait();
  };
  const Outcome eager = beside("--eager");
  CHECK(eager.code == 1);
  CHECK_THAT(eager.err, Contains("rank 1 of 2, on ") && Contains("with other arguments") &&
                            Contains("no more than the file, --eager"));
  const Outcome check = beside("--check");
  CHECK(check.code == 9);
  CHECK_THAT(check.err, Contains("rank 1 of 2, on ") && Contains(", has ended"));
  CHECK_FALSE(std::filesystem::exists(folder / "run/checkpoint.h5"));
}

TEST_CASE("processes that were started together and do not know of each other refuse to train",
          "[apps][ranks][errors]") {
  const Folder folder;
  folder.file("ranks.toml", inverse_problem);
  ::setenv("PMI_SIZE", "3", 1);  // as a launcher of another MPI does
  const Outcome outcome = pinn_train(folder, {"ranks.toml"});
  ::unsetenv("PMI_SIZE");
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("one of 3 ") && Contains("fix:"));
  CHECK_FALSE(std::filesystem::exists(folder / "runs"));
}

TEST_CASE("what all processes fail of is told once", "[apps][ranks][errors]") {
  if (skips(lack_of_mpi())) return;
  const Folder folder;
  const Outcome wrong = Program(mpiexec, launch(2, {"none.toml"}), folder.path).wait();
  CHECK(wrong.code == pinn_train(folder, {"none.toml"}).code);
  CHECK(count(wrong.err, "error: ") == 1);
  const Outcome usage = Program(mpiexec, launch(2, {"--no-such-option"}), folder.path).wait();
  CHECK(usage.code == 2);
  CHECK(count(usage.err, "--no-such-option") == 1);
}

TEST_CASE("a signal to the launcher, and the time limit, stop all processes with the state saved",
          "[apps][ranks]") {
  if (skips(lack_of_mpi())) return;
  const Folder folder;
  folder.file("ranks.toml", inverse_problem);
  {
    Program program(mpiexec, launch(2, endless()), folder.path);
    REQUIRE(saves(program, folder));
    const Outcome outcome = program.stop(SIGUSR1);
    INFO(outcome.err);
    CHECK(outcome.code == 4);
    CHECK_THAT(outcome.err, Contains("SIGUSR1: stopped; the state is saved"));
  }
  std::vector<std::string> words = endless();
  for (const char* word : {"--max-time", "0.5"}) words.push_back(word);
  const Outcome outcome = Program(mpiexec, launch(2, words), folder.path).wait();
  CHECK(outcome.code == 4);
  CHECK_THAT(outcome.err, Contains("the time limit of 0.5 s: stopped; the state is saved"));
}
