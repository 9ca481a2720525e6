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
  CHECK(RunFolder(fresh(root)).path() == root / "runs/burgers");
  CHECK(RunFolder(fresh(root)).path() == root / "runs/burgers-2");
  CHECK(RunFolder(fresh(root)).path() == root / "runs/burgers-3");
}

TEST_CASE("resuming takes the highest number, or starts a run", "[train][folder]") {
  const Folder root;
  CHECK(RunFolder(resumed(root)).path() == root / "runs/burgers");
  for (const char* name :
       {"burgers-2", "burgers-10", "burgers-x", "burgers-011", "burgers-2-3", "burgersque-99"})
    std::filesystem::create_directories(root / "runs/" + name);
  CHECK(RunFolder(resumed(root)).path() == root / "runs/burgers-10");
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

TEST_CASE("the status of a run tells where it stands and what to type", "[train][folder]") {
  const Folder root;
  CHECK_THROWS_AS(status(root.path), ConfigError);
  {
    const RunFolder folder(given(root / "mine"));
    root.file("mine/metrics.jsonl", "");
    CHECK_THAT(status(folder.path()),
               Contains("no checkpoint yet") &&
                   Contains("process " + std::to_string(::getpid()) + " is training"));
    save_checkpoint(folder.path(), some_checkpoint());
  }
  const std::string text = status(root / "mine");
  CHECK_THAT(text, Contains("configs/burgers.toml") && Contains("step 1200, stage 2") &&
                       Contains("loss 1.000e-01"));
  CHECK_THAT(text, Contains("nu = 0.0124") && Contains("--resume") && Contains("pinn-export"));
}

TEST_CASE("a folder that cannot be made is an input/output error", "[train][folder][errors]") {
  const Folder root;
  root.file("file", "");
  CHECK_THROWS_AS(RunFolder(given(root / "file/mine")), FileError);
  CHECK_THROWS_WITH(RunFolder(given(root / "file/mine")), Contains("cannot make the folder"));
}
