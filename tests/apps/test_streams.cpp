// Behavior of the programs when what they read from and print to is not what it should be.
#include <sys/stat.h>

#include <fstream>

#include "tests/apps/program.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace fs = std::filesystem;

namespace {

/// The exit code of a line of the shell in the folder, as `pinn-train small.toml 2>&-`.
int shell(const Folder& place, const std::string& line) {
  const std::string script =
      "cd '" + place.path + "' && PATH='" + PINN_BINARY_DIR + "':$PATH && " + line;
  const int status = std::system(("bash -c \"" + script + "\"").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("what cannot be printed is exit code 5, in all programs", "[apps][errors]") {
  const WorkFolder place;
  REQUIRE(pinn_train(place, {"small.toml", "--quiet"}).code == 0);
  for (const char* line :
       {"pinn-train small.toml --check", "pinn-train --keys", "pinn-train --help",
        "pinn-train --completion bash", "pinn-train runs/small", "pinn-train small.toml --quiet",
        "pinn-export runs/small -o a.csv", "pinn-reference --list"}) {
    INFO(line);
    CHECK(shell(place, std::string(line) + " >/dev/full 2>err") == 5);
    CHECK_THAT(read_file(place / "err"),
               Contains("cannot print: No space left on device") && !Contains("bug of ours"));
  }
}

TEST_CASE("a full stderr costs messages, not the run", "[apps]") {
  const WorkFolder place;
  CHECK(shell(place, "pinn-train small.toml >out 2>/dev/full") == 0);
  CHECK(shell(place, "pinn-train nothing.toml >out 2>/dev/full") == 1);
}

TEST_CASE("a program started without standard files prints into none of its own", "[apps]") {
  const WorkFolder place;
  for (const char* closed : {"2>&-", "<&- 2>&-", "<&- >&- 2>&-", ">&-"}) {
    INFO(closed);
    CHECK(shell(place, std::string("pinn-train small.toml --out mine --overwrite >out 2>err ") +
                           closed) == 0);
    CHECK(read_file(place / "mine/.lock").empty());
    const std::string metrics = read_file(place / "mine/metrics.jsonl");
    CHECK(metrics.starts_with("{\"step\":"));
    CHECK(metrics.find("descent 1/1") == metrics.npos);
    CHECK(metrics.find("parameters, seed") == metrics.npos);
    CHECK(pinn_train(place, {"mine", "--resume", "--quiet"}).code == 0);
  }
  CHECK(shell(place, "pinn-export mine -o a.csv <&- >&- 2>&-") == 0);
  CHECK(read_file(place / "a.csv").starts_with("x,u\n"));
  CHECK(shell(place, "pinn-reference lorenz --observe 1 -o b.csv <&- >&- 2>&-") == 0);
  CHECK(read_file(place / "b.csv").starts_with("# pinn-reference lorenz"));
}

TEST_CASE("a limit on file sizes is exit code 5 in all programs, and no signal", "[apps][errors]") {
  const WorkFolder place;
  REQUIRE(pinn_train(place, {"small.toml", "--quiet"}).code == 0);
  const std::vector<std::pair<std::string, std::vector<std::string>>> lines = {
      {"pinn-train", {"small.toml", "--quiet"}},
      {"pinn-train", {"small.toml", "--quiet", "--set", "stage.descent.optimizer=ssbroyden"}},
      {"pinn-export", {"runs/small", "--grid", "x=5000", "-o", "a.csv"}},
      {"pinn-reference", {"lorenz", "-o", "a.h5"}}};
  for (const auto& [program, words] : lines) {
    const Outcome run = Program(program, words, place.path, 0, 4096).wait();
    INFO(program << " " << run.err);
    CHECK(run.code == 5);
    CHECK_THAT(run.err, Contains("File too large") && Contains("ulimit -f"));
  }
}

TEST_CASE("a stack that is too small is said, and crashes no program", "[apps][errors]") {
  const WorkFolder place;
  for (const char* line : {"pinn-train small.toml --quiet", "pinn-export runs/small -o a.csv",
                           "pinn-report runs/small", "pinn-sweep small.toml --seeds 1",
                           "pinn-reference lorenz -o a.h5"}) {
    INFO(line);
    CHECK(shell(place, std::string("ulimit -s 128 && exec ") + line + " 2>err") == 6);
    CHECK_THAT(read_file(place / "err"),
               Contains("the stack may have 128 KiB, and 1024 KiB") && Contains("ulimit -s 8192"));
  }
  CHECK(shell(place, "ulimit -s 1024 && exec pinn-train small.toml --quiet") == 0);
}

TEST_CASE("a pipe in the place of a file keeps no program waiting", "[apps][errors]") {
  const Folder place;
  fs::create_directories(place / "run");
  for (const char* name : {"checkpoint.h5", ".lock"})
    REQUIRE(::mkfifo((place / ("run/" + std::string(name))).c_str(), 0666) == 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run"}, {"run", "--resume"}}) {
    const Outcome status = pinn_train(place, words);
    CHECK(status.code == 5);
    CHECK_THAT(status.err, Contains("a device or a pipe") && Contains("run/checkpoint.h5"));
  }
  CHECK(pinn_export(place, {"run", "-o", "a.csv"}).code == 5);
}

TEST_CASE("nothing printed is obeyed by a terminal, whoever wrote it", "[apps][errors]") {
  const WorkFolder place;
  const std::string evil = "a\x1b]0;owned\x07\x1b[31m";
  place.file(evil + ".toml", "[problem]\ncoordinates = { x = [0, 1] }\n");
  place.file(evil + ".csv", "\"\x1b[2Jt\"\n1\n");
  REQUIRE(pinn_train(place, {"small.toml", "--out", evil, "--quiet"}).code == 0);
  std::string problem = small_problem;
  problem += "[\"\\u001b[2J\"]\n";
  place.file("key.toml", problem);
  std::string damaged = read_file(place / (evil + "/checkpoint.h5"));
  fs::create_directories(place / "foreign");
  place.file("foreign/checkpoint.h5", "PINN CHECKPOINT \x1b[2J" + std::string(600, ' '));
  place.file("foreign/status.json", "{\"problem\":\"\x1b[2J\",\"state\":\"\x1b[2J\",\"step\":3}");
  const std::vector<std::vector<std::string>> lines = {
      {evil + ".toml"},
      {evil},
      {evil, "--resume"},
      {"small.toml", "--out", evil},
      {"key.toml"},
      {"foreign"},
      {"--" + evil},
      {"small.toml", "--check", "--set", evil + "=1"},
      {"small.toml", "--threads", evil},
      {"small.toml", "--check", "--set", "stage.1.name=\"" + evil + "\""}};
  for (const auto& words : lines) {
    const Outcome run = pinn_train(place, words);
    INFO(words.back() << run.out << run.err);
    CHECK((run.out + run.err).find_first_of("\x1b\x07") == std::string::npos);
  }
  for (const auto& words : std::vector<std::vector<std::string>>{
           {evil, "--on", evil + ".csv", "-o", "a.csv"}, {evil, "-o", evil + ".csv"}}) {
    const Outcome run = pinn_export(place, words);
    INFO(run.out << run.err);
    CHECK((run.out + run.err).find_first_of("\x1b\x07") == std::string::npos);
  }
}

TEST_CASE("what the system says of paths is exit code 5, and no bug of ours", "[apps][errors]") {
  const WorkFolder place;
  fs::create_symlink("loop", place / "loop");
  const std::string deep(5000, 'a');
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"small.toml", "--out", "loop"},
        {"small.toml", "--out", deep},
        {deep},
        {"loop"},
        {"small.toml", "--init-from", deep}}) {
    const Outcome run = pinn_train(place, words);
    INFO(run.err);
    CHECK((run.code == 5 || run.code == 1));
    CHECK_THAT(run.err, !Contains("bug of ours") && Contains("error: "));
  }
  CHECK(pinn_export(place, {deep, "-o", "a.csv"}).code == 5);
}
