#include "solvers/train/folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"
#include "tests/solvers/train/states.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

FolderRequest fresh(const Folder& root) { return {.name = "burgers", .root = root / "runs"}; }

FolderRequest resumed(const Folder& root) {
  FolderRequest request = fresh(root);
  request.resume = true;
  return request;
}

FolderRequest given(const std::string& out) { return {.name = "burgers", .out = out}; }

}  // namespace

TEST_CASE("new runs take the next free number", "[train][folder]") {
  const Folder root;
  const RunFolder first(fresh(root)), second(fresh(root)), third(fresh(root));
  CHECK(first.path() == root / "runs/burgers");
  CHECK(second.path() == root / "runs/burgers-2");
  CHECK(third.path() == root / "runs/burgers-3");
}

TEST_CASE("a folder made for a run that never began goes with it", "[train][folder]") {
  const Folder root;
  { const RunFolder folder(fresh(root)); }
  CHECK_FALSE(std::filesystem::exists(root / "runs/burgers"));
  {
    const RunFolder folder(fresh(root));
    root.file("runs/burgers/metrics.jsonl", "");
  }
  CHECK(std::filesystem::exists(root / "runs/burgers"));
}

TEST_CASE("resuming takes the highest number that holds a run", "[train][folder]") {
  const Folder root;
  for (const char* name : {"burgers", "burgers-2", "burgers-10", "burgers-x", "burgers-011",
                           "burgers-2-3", "burgersque-99"}) {
    std::filesystem::create_directories(root / "runs/" + name);
    root.file(std::string("runs/") + name + "/metrics.jsonl", "");
  }
  std::filesystem::create_directories(root / "runs/burgers-11");  // of a run that was refused
  const RunFolder folder(resumed(root));
  CHECK(folder.path() == root / "runs/burgers-10");
  CHECK(folder.choice().empty());
}

TEST_CASE("resuming where there is no run says where it looked, and begins one",
          "[train][folder]") {
  const Folder root;
  FolderRequest request = resumed(root);
  request.problem = "configs/burgers.toml";
  const RunFolder folder(request);
  CHECK(folder.path() == root / "runs/burgers");
  CHECK(folder.choice() == "--resume: there is no run " + root.path +
                               "/runs/burgers, and none of configs/burgers.toml elsewhere in " +
                               root.path +
                               "/runs: a new one begins; one that was begun with --out elsewhere "
                               "goes on with the same --out");

  request = given(root / "mine");
  request.resume = true;
  CHECK(RunFolder(request).choice() ==
        "--resume: " + root.path + "/mine holds no run: a new one begins there");
}

TEST_CASE("resuming finds the latest run of the problem file elsewhere among the runs",
          "[train][folder]") {
  const Folder root;
  const auto now = std::filesystem::file_time_type::clock::now();
  int age = 0;
  for (const auto& [name, problem] :
       std::vector<std::pair<std::string, std::string>>{{"other", "configs/heat.toml"},
                                                        {"sweep/late", "configs/burgers.toml"},
                                                        {"early", "configs/burgers.toml"}}) {
    std::filesystem::create_directories(root / "runs/" + name);
    const std::string file = root.file("runs/" + name + "/status.json",
                                       "{\"problem\":\"" + problem + "\",\"step\":1}\n");
    std::filesystem::last_write_time(file, now - std::chrono::hours(++age));
  }
  FolderRequest request = resumed(root);
  request.problem = "configs/burgers.toml";
  const RunFolder folder(request);
  CHECK(folder.path() == root / "runs/sweep/late");
  CHECK_THAT(folder.choice(), Contains("there is no run " + root.path + "/runs/burgers; ") &&
                                  Contains("sweep/late is the latest of configs/burgers.toml"));
}

TEST_CASE("an explicit folder that holds a run is refused with both ways out",
          "[train][folder][errors]") {
  const Folder root;
  CHECK(RunFolder(given(root / "deep/mine")).path() == root / "deep/mine");
  CHECK_NOTHROW(RunFolder(given(root / "deep/mine")));  // it holds nothing yet
  root.file("deep/mine/metrics.jsonl", "{}\n");

  CHECK_THROWS_AS(RunFolder(given(root / "deep/mine")), ConfigError);
  CHECK_THROWS_WITH(RunFolder(given(root / "deep/mine")),
                    Contains("--resume") && Contains("--overwrite"));
  FolderRequest request = given(root / "deep/mine");
  request.resume = true;
  CHECK(RunFolder(request).path() == root / "deep/mine");
}

TEST_CASE("overwriting loses the run and nothing else", "[train][folder]") {
  const Folder root;
  std::filesystem::create_directories(root / "mine");
  for (const char* name :
       {"checkpoint.h5", "checkpoint.prev.h5", "metrics.jsonl", "fields.h5", "notes.txt"})
    root.file(std::string("mine/") + name, "x");
  FolderRequest request = given(root / "mine");
  request.overwrite = true;
  const RunFolder folder(request);

  CHECK_FALSE(holds_run(folder.path()));
  CHECK(std::filesystem::exists(root / "mine/notes.txt"));
}

TEST_CASE("a folder has one writer, and the second is told which", "[train][folder][errors]") {
  const Folder root;
  const RunFolder first(given(root / "mine"));
  CHECK(writer_of(first.path()) == ::getpid());
  CHECK_THROWS_AS(RunFolder(given(root / "mine")), ConfigError);
  CHECK_THROWS_WITH(RunFolder(given(root / "mine")),
                    Contains("process " + std::to_string(::getpid()) + " is writing this run"));
}

TEST_CASE("the lock is gone when the process is killed", "[train][folder]") {
  const Folder root;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const RunFolder folder(given(root / "mine"));
    [[maybe_unused]] const ssize_t told = ::write(ready[1], "x", 1);
    for (;;) ::pause();
  }
  char byte;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK(writer_of(root / "mine") == child);
  CHECK_THROWS_WITH(RunFolder(given(root / "mine")), Contains(std::to_string(child)));

  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]), ::close(ready[1]);
  CHECK(writer_of(root / "mine") == 0);
  CHECK_NOTHROW(RunFolder(given(root / "mine")));
}

TEST_CASE("what an interrupted write left is removed at the next start", "[train][folder]") {
  const Folder root;
  std::filesystem::create_directories(root / "mine");
  root.file("mine/checkpoint.h5.tmp", "half");
  root.file("mine/notes.txt", "whole");
  const RunFolder folder(given(root / "mine"));

  CHECK_FALSE(std::filesystem::exists(folder.file("checkpoint.h5.tmp")));
  CHECK(std::filesystem::exists(folder.file("notes.txt")));
  REQUIRE(folder.messages().size() == 1);
  CHECK_THAT(folder.messages()[0], Contains("checkpoint.h5.tmp"));
}

TEST_CASE("a damaged checkpoint never replaces the good one before it", "[train][folder]") {
  const Folder root;
  RunFolder folder(given(root / "mine"));
  save_checkpoint(folder.path(), some_checkpoint(100));
  save_checkpoint(folder.path(), some_checkpoint(200));
  std::string bytes = read_file(folder.file("checkpoint.h5"));
  bytes.back() ^= 1;
  root.file("mine/checkpoint.h5", bytes);

  const Found found = folder.recover();
  CHECK(found.checkpoint->state.step == 100);
  CHECK(std::filesystem::exists(folder.file("checkpoint.damaged.h5")));
  CHECK_THAT(found.messages.back(), Contains("kept") && Contains("checkpoint.damaged.h5"));

  save_checkpoint(folder.path(), some_checkpoint(150));
  CHECK(load_checkpoint(folder.file("checkpoint.h5")).state.step == 150);
  CHECK(load_checkpoint(folder.file("checkpoint.prev.h5")).state.step == 100);
}

TEST_CASE("a folder that cannot be made is an input/output error", "[train][folder][errors]") {
  const Folder root;
  root.file("file", "");
  CHECK_THROWS_AS(RunFolder(given(root / "file/mine")), FileError);
  CHECK_THROWS_WITH(RunFolder(given(root / "file/mine")), Contains("cannot make the folder"));
}
