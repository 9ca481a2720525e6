#include "solvers/records/folder/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "autograd/core/error.h"
#include "autograd/core/sha256.h"
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

TEST_CASE("what an interrupted write left is removed at the next start, and nothing else",
          "[train][folder]") {
  const Folder root;
  std::filesystem::create_directories(root / "mine");
  const std::string draft = "checkpoint.h5.pinn-0123456789abcdef.tmp";
  const char* const others[] = {"notes.txt", "thesis.tmp", "checkpoint.h5.tmp",
                                "thesis.pinn-0123456789abcdef.tmp"};
  root.file("mine/" + draft, "half");
  for (const char* name : others) root.file(std::string("mine/") + name, "whole");
  const RunFolder folder(given(root / "mine"));

  CHECK_FALSE(std::filesystem::exists(folder.file(draft)));
  for (const char* name : others) CHECK(std::filesystem::exists(folder.file(name)));
  REQUIRE(folder.messages().size() == 1);
  CHECK_THAT(folder.messages()[0], Contains(draft));
}

TEST_CASE("a link in a foreign folder leads no writer out of it", "[train][folder][errors]") {
  const Folder root;
  std::filesystem::create_directories(root / "mine");
  root.file("thesis", "years of work");
  std::filesystem::create_symlink("../thesis", root / "mine/.lock");
  CHECK_THROWS_WITH(RunFolder(given(root / "mine")),
                    Contains("cannot make the lock of the run") && Contains("mine/.lock"));
  CHECK(read_file(root / "thesis") == "years of work");

  std::filesystem::remove(root / "mine/.lock");
  for (const char* name : {"checkpoint.h5", "status.json"}) {
    std::filesystem::create_symlink("../nothing", root / "mine/" + name);
    CHECK_THROWS_AS(RunFolder(given(root / "mine")), ConfigError);  // it counts as a run
    std::filesystem::remove(root / "mine/" + name);
  }
}

TEST_CASE("a lock is no place to write to", "[train][folder]") {
  const Folder root;
  std::filesystem::create_directories(root / "mine");
  root.file("mine/.lock", "of another program");
  CHECK_NOTHROW(RunFolder(given(root / "mine")));
  CHECK(read_file(root / "mine/.lock") == "of another program");
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

TEST_CASE("a checkpoint that cannot be read now is not taken for a damaged one",
          "[train][folder][errors]") {
  const Folder root;
  RunFolder folder(given(root / "mine"));
  save_checkpoint(folder.path(), some_checkpoint(100));
  save_checkpoint(folder.path(), some_checkpoint(200));
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  std::string message;
  try {
    folder.recover();
  } catch (const FileError& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK_THAT(message, Contains("Too many open files") && Contains("mine/checkpoint.h5"));
  CHECK_FALSE(std::filesystem::exists(folder.file("checkpoint.damaged.h5")));
  CHECK(folder.recover().checkpoint->state.step == 200);
}

TEST_CASE("a checkpoint of another format is left where it is", "[train][folder][errors]") {
  const Folder root;
  RunFolder folder(given(root / "mine"));
  save_checkpoint(folder.path(), some_checkpoint(100));
  std::string bytes = read_file(folder.file("checkpoint.h5"));
  bytes[16] = '4';
  bytes.replace(447, 64, sha256(bytes.substr(0, 447)));
  root.file("mine/checkpoint.h5", bytes);
  CHECK_THROWS_WITH(folder.recover(), Contains("has format 4"));
  CHECK(std::filesystem::exists(folder.file("checkpoint.h5")));
}

TEST_CASE("who only reads a run keeps no writer out", "[train][folder]") {
  const Folder root;
  std::filesystem::create_directories(root / "mine");
  root.file("mine/.lock", "");
  const int lock = ::open((root / "mine/.lock").c_str(), O_RDONLY | O_CLOEXEC),
            place = ::open((root / "mine").c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(::flock(lock, LOCK_SH) == 0);
  REQUIRE(::flock(place, LOCK_SH) == 0);
  CHECK(writer_of(root / "mine") == 0);
  {
    const RunFolder folder(given(root / "mine"));
    CHECK(writer_of(root / "mine") == ::getpid());
  }
  ::flock(place, LOCK_UN);
  struct flock shared = {};
  shared.l_type = F_RDLCK;
  REQUIRE(::fcntl(lock, F_OFD_SETLK, &shared) == 0);
  CHECK_NOTHROW(RunFolder(given(root / "mine")));
  ::close(lock), ::close(place);
}

TEST_CASE("where readers hold both locks, it is said that they do", "[train][folder][errors]") {
  const Folder root;
  std::filesystem::create_directories(root / "mine");
  root.file("mine/.lock", "");
  const int lock = ::open((root / "mine/.lock").c_str(), O_RDONLY | O_CLOEXEC),
            place = ::open((root / "mine").c_str(), O_RDONLY | O_CLOEXEC);
  struct flock shared = {};
  shared.l_type = F_RDLCK;
  REQUIRE(::fcntl(lock, F_OFD_SETLK, &shared) == 0);
  REQUIRE(::flock(place, LOCK_SH) == 0);
  CHECK_THROWS_WITH(RunFolder(given(root / "mine")),
                    Contains("programs that read this run keep it locked") && Contains("--out"));
  ::close(lock), ::close(place);
  CHECK_NOTHROW(RunFolder(given(root / "mine")));
}

TEST_CASE("a lock that is no plain file is refused", "[train][folder][errors]") {
  const Folder root;
  std::filesystem::create_directories(root / "mine");
  REQUIRE(::mkfifo((root / "mine/.lock").c_str(), 0666) == 0);
  CHECK_THROWS_WITH(RunFolder(given(root / "mine")),
                    Contains("the lock of the run is no plain file") && Contains("remove it"));
  CHECK(writer_of(root / "mine") == 0);
}

TEST_CASE("a second writer is kept out when the lock was deleted", "[train][folder][errors]") {
  const Folder root;
  const RunFolder first(given(root / "mine"));
  std::filesystem::remove(root / "mine/.lock");
  CHECK(writer_of(root / "mine") == -1);
  CHECK_THROWS_WITH(RunFolder(given(root / "mine")),
                    Contains("another process is writing this run") && !Contains("kill"));
  CHECK_NOTHROW(first.require_ours());
}

TEST_CASE("where the folder itself cannot be locked, a run whose lock was deleted ends",
          "[train][folder][errors]") {
  const Folder root;
  std::filesystem::create_directories(root / "mine");
  const int place = ::open((root / "mine").c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(::flock(place, LOCK_SH) == 0);  // as a disk without such locks
  const RunFolder first(given(root / "mine"));
  CHECK_NOTHROW(first.require_ours());
  std::filesystem::remove(root / "mine/.lock");
  CHECK_THROWS_AS(first.require_ours(), FileError);
  const RunFolder second(given(root / "mine"));
  CHECK_THROWS_WITH(first.require_ours(), Contains("was deleted or replaced"));
  CHECK_NOTHROW(second.require_ours());
  ::close(place);
}

TEST_CASE("a run writes where its folder is, not where it was", "[train][folder]") {
  const Folder root;
  RunFolder first(given(root / "mine"));
  CHECK(first.place() == root / "mine");
  std::filesystem::rename(root / "mine", root / "moved");
  CHECK(first.place() == root / "moved");
  RunFolder second(given(root / "mine/"));
  save_checkpoint(first.path(), some_checkpoint(100), first.files());
  save_checkpoint(second.path(), some_checkpoint(200), second.files());
  CHECK(load_checkpoint(root / "moved/checkpoint.h5").state.step == 100);
  CHECK(load_checkpoint(root / "mine/checkpoint.h5").state.step == 200);
  CHECK_FALSE(std::filesystem::exists(root / "mine/checkpoint.prev.h5"));
}

TEST_CASE("a folder that cannot be made is an input/output error", "[train][folder][errors]") {
  const Folder root;
  root.file("file", "");
  CHECK_THROWS_AS(RunFolder(given(root / "file/mine")), FileError);
  CHECK_THROWS_WITH(RunFolder(given(root / "file/mine")), Contains("cannot make the folder"));
}
