// pinn-sweep, with members that pinn-train trains, in part by way of a script that fails where it
// should.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "solvers/records/folder/folder_lock.h"
#include "tests/apps/launch.h"
#include "tests/apps/program.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

using Words = std::vector<std::string>;

/// The small problem, and a trainer that writes down what it is asked before pinn-train does it; it
/// fails for what holds the text in the file `fails`.
struct SweepFolder : WorkFolder {
  SweepFolder() {
    file("trainer",
         "#!/bin/sh\n"
         "echo \"$4\" >> '" +
             path +
             "/calls.txt'\n"
             "if [ -e '" +
             path +
             "/fails' ]; then case \"$*\" in\n"
             "  *\"$(cat '" +
             path +
             "/fails')\"*) echo 'error: out of memory' >&2; exit 6 ;;\n"
             "esac; fi\n"
             "exec '" PINN_BINARY_DIR "/pinn-train' \"$@\"\n");
    std::filesystem::permissions(*this / "trainer", std::filesystem::perms::owner_all);
  }
  int calls() const { return has("calls.txt") ? count(read_file(*this / "calls.txt"), "\n") : 0; }

  Words words(const Words& more) const {
    Words all = {*this / "small.toml", "--set", "output.report=false", "--pinn-train",
                 *this / "trainer"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Outcome operator()(const Words& more) const {
    return Program("pinn-sweep", words(more), path).wait();
  }
};

const Words two_by_two = {"--over", "network.layers=[[4],[5]]", "--seeds", "2", "--jobs", "2"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The lines of a table without the column of seconds, which is never the same twice.
std::vector<std::string> lines_without_seconds(const std::string& file) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(file));
  std::size_t seconds = 0;
  for (std::string line; std::getline(text, line);) {
    std::vector<std::string> cells;
    std::istringstream of(line);
    for (std::string cell; std::getline(of, cell, ',');) cells.push_back(cell);
    if (lines.empty()) seconds = std::size_t(std::ranges::find(cells, "seconds") - cells.begin());
    cells.at(seconds).clear();
    lines.push_back(fmt::format("{}", fmt::join(cells, ",")));
  }
  return lines;
}

/// Longer than it takes to disturb them, and with many checkpoints.
const Words long_members = {
    "--set", "stage.1.steps=12000", "--set", "run.checkpoint.every=100", "--seeds", "3", "--jobs",
    "2"};

bool is_begun(const SweepFolder& folder) {
  return comes_true([&] {
    return folder.has("sweeps/small/seed-0/checkpoint.h5") &&
           folder.has("sweeps/small/seed-1/checkpoint.h5");
  });
}
bool nobody_trains(const SweepFolder& folder) {
  return writer_of(folder / "sweeps/small/seed-0") == 0 &&
         writer_of(folder / "sweeps/small/seed-1") == 0;
}

}  // namespace

TEST_CASE("a sweep trains every combination with every seed, and tells what each came to",
          "[apps][sweep]") {
  const SweepFolder folder;
  const Outcome outcome = folder(two_by_two);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(folder.calls() == 4);
  CHECK(count(outcome.err, ": done\n") == 4);
  CHECK_THAT(outcome.out, Contains("layers  seed  state  steps  parameters") &&
                              Contains("error of u: median") && Contains("2/2"));
  const auto lines = lines_without_seconds(folder / "sweeps/small/table.csv");
  CHECK(lines.size() == 5);
  CHECK_THAT(lines[4], Contains("[5],1,done,20,16,,") && Contains(",layers-5_seed-1"));
}

TEST_CASE("a member is, to the last bit, the run that pinn-train trains with its --set",
          "[apps][sweep]") {
  const SweepFolder folder;
  REQUIRE(folder(two_by_two).code == 0);
  const Outcome alone = pinn_train(
      folder, {"small.toml", "--set", "network.layers=[5]", "--set", "run.seed=1", "--quiet"});
  REQUIRE(alone.code == 0);
  CHECK(identical(saved_state(folder / "runs/small"),
                  saved_state(folder / "sweeps/small/layers-5_seed-1")));
}

TEST_CASE("a finished sweep that is given again trains nothing, and more seeds what is missing",
          "[apps][sweep]") {
  const SweepFolder folder;
  const Outcome first = folder(two_by_two);
  REQUIRE(first.code == 0);
  const Outcome again = folder(two_by_two);
  CHECK(again.code == 0);
  CHECK(again.out == first.out);
  CHECK(folder.calls() == 4);
  const Outcome more = folder({"--over", "network.layers=[[4],[5],[6]]", "--seeds", "3"});
  CHECK(more.code == 0);
  CHECK(folder.calls() == 9);
}

TEST_CASE("the table of a sweep is printed at any time, and nothing trained for it",
          "[apps][sweep]") {
  const SweepFolder folder;
  const Outcome none = folder(with(two_by_two, {"--table"}));
  CHECK(none.code == 1);
  CHECK_THAT(none.err, Contains("there is no such sweep yet"));
  const Outcome trained = folder({"--over", "network.layers=[[4]]", "--quiet"});
  CHECK(trained.code == 0);
  CHECK(trained.err == "");
  const Outcome table = folder(with(two_by_two, {"--table"}));
  CHECK(table.code == 0);
  CHECK(count(table.out, "waiting") == 3);
  CHECK(folder.calls() == 1);
}

TEST_CASE("members that fail or diverge end no others, and are told with the reason",
          "[apps][sweep][errors]") {
  const SweepFolder folder;
  folder.file("fails", "rate=0.02");
  const Words words = {"--over", "stage.1.rate=[0.01,0.02,1e300]", "--jobs", "1"};
  const Outcome outcome = folder(words);
  CHECK(outcome.code == 5);
  CHECK_THAT(outcome.out, Contains("failed (6)") && Contains("error: out of memory") &&
                              Contains("diverged") && Contains("rate-0.02_seed-0/log.txt"));
  CHECK_THAT(read_file(folder / "sweeps/small/table.csv"),
             Contains("0.01,0,done,20") && Contains("0.02,0,failed (6)") && Contains(",diverged,"));
  std::filesystem::remove(folder / "fails");
  const Outcome again = folder(words);  // what failed is tried again; what diverged would again
  CHECK(again.code == 3);
  CHECK(folder.calls() == 4);
  CHECK_THAT(read_file(folder / "sweeps/small/table.csv"), Contains("0.02,0,done,20"));
}

TEST_CASE("two sweeps at work in one folder train each member once", "[apps][sweep]") {
  const SweepFolder folder;
  const Folder one, other;
  const Words words = folder.words({"--over", "network.layers=[[3],[4],[5],[6],[7]]", "--seeds",
                                    "2", "--jobs", "1", "--out", folder / "shared"});
  Program first("pinn-sweep", words, one.path), second("pinn-sweep", words, other.path);
  CHECK(first.wait().code == 0);
  CHECK(second.wait().code == 0);
  CHECK(folder.calls() == 10);
  const auto lines = lines_without_seconds(folder / "shared/table.csv");
  CHECK(std::ranges::count_if(lines, [](const std::string& line) {
          return line.find(",done,20,") != line.npos;
        }) == 10);
}

TEST_CASE("a sweep that is told to stop saves its members, and goes on to the same table",
          "[apps][sweep][kills]") {
  const SweepFolder folder, undisturbed;
  REQUIRE(undisturbed(long_members).code == 0);
  {
    Program sweep("pinn-sweep", folder.words(long_members), folder.path);
    REQUIRE(is_begun(folder));
    const Outcome outcome = sweep.stop(SIGTERM);
    CHECK(outcome.code == 4);
    CHECK_THAT(outcome.err, Contains("SIGTERM: stopped") && Contains("the same command"));
    CHECK(nobody_trains(folder));
    CHECK(count(outcome.out, "interrupted") == 2);
  }
  const Outcome again = folder(long_members);
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(count(again.err, "goes on") == 2);
  CHECK(lines_without_seconds(folder / "sweeps/small/table.csv") ==
        lines_without_seconds(undisturbed / "sweeps/small/table.csv"));
}

TEST_CASE("a sweep ends with its state saved when its time is over", "[apps][sweep]") {
  const SweepFolder folder;
  const Outcome outcome =
      folder({"--set", "stage.1.steps=100000000", "--jobs", "1", "--max-time", "1"});
  CHECK(outcome.code == 4);
  CHECK_THAT(outcome.err, Contains("the time limit of 1 s: stopped"));
  CHECK(folder.has("sweeps/small/seed-0/checkpoint.h5"));
  CHECK(folder({"--out", "other", "--max-time", "soon"}).code == 1);
  CHECK_FALSE(folder.has("other"));
}

TEST_CASE("the children of a sweep that is killed end, too, and it goes on to the same table",
          "[apps][sweep][kills]") {
  const SweepFolder folder, undisturbed;
  REQUIRE(undisturbed(long_members).code == 0);
  {
    Program sweep("pinn-sweep", folder.words(long_members), folder.path);
    REQUIRE(is_begun(folder));
    sweep.stop(SIGKILL);
    CHECK(comes_true([&] { return nobody_trains(folder); }));
  }
  CHECK_THAT(folder(with(long_members, {"--table"})).out, Contains("interrupted"));
  CHECK(folder(long_members).code == 0);
  CHECK(lines_without_seconds(folder / "sweeps/small/table.csv") ==
        lines_without_seconds(undisturbed / "sweeps/small/table.csv"));
}

TEST_CASE("members of launched processes run alone, and the first process prints the table",
          "[apps][sweep]") {
  const SweepFolder folder;
  ::setenv("PMI_SIZE", "2", 1);  // as a launcher does
  ::setenv("PMI_RANK", "1", 1);
  const Outcome second = folder(two_by_two);
  ::setenv("PMI_RANK", "0", 1);
  const Outcome first = folder(two_by_two);
  ::unsetenv("PMI_RANK");
  ::unsetenv("PMI_SIZE");
  INFO(second.err);
  CHECK(second.code == 0);
  CHECK(second.out == "");
  CHECK(folder.calls() == 4);
  CHECK_THAT(first.out, Contains("error of u: median"));
}

TEST_CASE("processes that mpirun starts share a sweep, one of whose members fails",
          "[apps][sweep]") {
  if (skips(lack_of_mpi())) return;
  const SweepFolder folder;
  folder.file("fails", "layers=[4] --set run.seed=1");
  const Words words = folder.words(
      {"--over", "network.layers=[[4],[5],[6]]", "--seeds", "2", "--jobs", "1", "--quiet"});
  const Outcome outcome =
      Program(mpiexec, launch(2, words, PINN_BINARY_DIR "/pinn-sweep"), folder.path).wait();
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 5);
  CHECK(folder.calls() == 6);
  CHECK(count(outcome.out, "error of u: median") == 1);
  CHECK(count(read_file(folder / "sweeps/small/table.csv"), ",done,20,") == 5);
}

TEST_CASE("a wrong sweep is refused before anything is trained", "[apps][sweep][errors]") {
  const SweepFolder folder;
  const Outcome wrong = folder({"--over", "stage.1.rate=[0.1,-1]"});
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.err, Contains("in the combination stage.1.rate = -1") && Contains("fix:"));
  CHECK(folder({"--seeds", "0"}).code == 2);
  CHECK(folder({"--over"}).code == 2);
  CHECK(Program("pinn-sweep", {}, folder.path).wait().code == 2);
  CHECK(Program("pinn-sweep", {"none.toml"}, folder.path).wait().code == 1);
  const Outcome nobody =
      Program("pinn-sweep", {"small.toml", "--pinn-train", "none"}, folder.path).wait();
  CHECK(nobody.code == 1);
  CHECK_THAT(nobody.err, Contains("there is no pinn-train"));
  CHECK(folder.calls() == 0);
  REQUIRE(folder(two_by_two).code == 0);
  const Outcome other = folder({"--over", "stage.1.rate=[0.1]"});
  CHECK(other.code == 1);
  CHECK_THAT(other.err, Contains("holds another sweep") && Contains("--out"));
  CHECK(folder.calls() == 4);
}

TEST_CASE("a pipe in the folder of a member keeps no sweep waiting", "[apps][sweep][errors]") {
  const char* const name = GENERATE("log.txt", ".sweep", "member.json");
  const SweepFolder folder;
  std::filesystem::create_directories(folder / "sweeps/small/seed-0");
  const std::string pipe = folder / "sweeps/small/seed-0/" + name;
  REQUIRE(::mkfifo(pipe.c_str(), 0666) == 0);
  Program sweep("pinn-sweep", folder.words({"--seeds", "1"}), folder.path);
  const bool ended = comes_true([&] { return !sweep.running(); });
  CHECK(ended);
  const Outcome outcome = ended ? sweep.wait() : sweep.stop(SIGKILL);
  CHECK(outcome.code == 5);
  CHECK_THAT(outcome.err, Contains("a device or a pipe") && Contains(name));
}

TEST_CASE("a sweep writes through no link in the place of a member's folder",
          "[apps][sweep][errors]") {
  const SweepFolder folder;
  std::filesystem::create_directories(folder / "sweeps/small");
  std::filesystem::create_directories(folder / "elsewhere");
  std::filesystem::create_directory_symlink(folder / "elsewhere", folder / "sweeps/small/seed-0");
  const Outcome outcome = folder({"--seeds", "1"});
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("a link stands in the place of a member's folder") &&
                              Contains("sweeps/small/seed-0"));
  CHECK(std::filesystem::is_empty(folder / "elsewhere"));
  CHECK(folder.calls() == 0);
}

TEST_CASE("a problem file that changes while a sweep is at work ends it", "[apps][sweep][errors]") {
  const SweepFolder folder;
  Program sweep("pinn-sweep",
                folder.words({"--set", "stage.1.steps=1500", "--set", "run.checkpoint.every=50",
                              "--seeds", "2", "--jobs", "1"}),
                folder.path);
  REQUIRE(comes_true([&] { return folder.has("sweeps/small/seed-0/checkpoint.h5"); }));
  folder.file("small.toml", std::string(small_problem) + "# changed\n");
  const Outcome outcome = sweep.wait();
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("the problem file was changed while the sweep was at work"));
  CHECK(folder.calls() == 1);
}
