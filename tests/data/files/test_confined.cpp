#include "data/files/confined/confined.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <numeric>

#include "autograd/core/error.h"
#include "data/files/disk.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

constexpr Allowance usual{.memory = 1 << 30, .answer = 1 << 20, .seconds = 60};

/// A process that answers every request by `answer`.
std::unique_ptr<Confined> confined(Confined::Answerer answer, const Allowance& allowance = usual) {
  return std::make_unique<Confined>("some.h5", allowance, [=] { return answer; });
}

/// Outcome of asking a process: its answer, or the error.
std::string failure(Confined& process, const std::string& request = "") {
  try {
    return "answered: " + process.ask(request);
  } catch (const FileError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a confined process answers with words and numbers", "[data][files]") {
  std::vector<double> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  const auto process = confined([&](const std::string& request) -> Answer {
    return {request + request,
            {std::shared_ptr<void>(), numbers.data()},
            numbers.size() * sizeof(double)};
  });

  std::vector<double> back;
  const auto room = [&](const std::string& words, std::uint64_t bytes) {
    CHECK(words == "abab");
    back.resize(bytes / sizeof(double));
    return back.data();
  };
  CHECK(process->ask("ab", room) == "abab");
  CHECK(back == numbers);
}

TEST_CASE("a confined process that crashes, loops or takes too much is a damaged file",
          "[data][files][errors]") {
  const auto ends_with = [](auto act, const Allowance& allowance = usual) {
    const auto process = confined(
        [=](const std::string&) {
          act();
          return Answer{"went well"};
        },
        allowance);
    const std::string first = failure(*process);
    CHECK(failure(*process) != "answered: went well");
    return first;
  };
  const auto check_damaged = [](const std::string& report, const std::string& cause) {
    CHECK_THAT(report, Contains("error: the file is damaged: ") && Contains("where: some.h5") &&
                           Contains("fix:   write the file again") && Contains(cause));
  };
  check_damaged(ends_with([] { __builtin_trap(); }), "crashed (signal 4");
  check_damaged(ends_with([] { std::abort(); }), "crashed (signal ");
  check_damaged(ends_with([] { _exit(3); }), "exit code 3");
  const auto loop = [] {
    for (volatile bool on = true; on;) {
    }
  };
  check_damaged(ends_with(loop, {.memory = 1 << 30, .answer = 1 << 20, .seconds = 1}),
                "more than 1 seconds of computing");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK_THAT(ends_with([] {
               std::vector<std::unique_ptr<char[]>> all;
               for (int i = 0; i < 64; ++i) all.emplace_back(new char[1 << 26]);
             }),
             Contains("needs more memory"));
#endif
}

TEST_CASE("an answer that is larger than agreed, or holds numbers unasked, is refused",
          "[data][files][errors]") {
  const auto large = confined([](const std::string&) { return Answer{std::string(2 << 20, 'a')}; });
  CHECK_THAT(failure(*large), Contains("what was read of it makes no sense"));
  static const double number = 1;
  const auto unasked = confined([](const std::string&) -> Answer {
    return {"", {std::shared_ptr<void>(), &number}, sizeof number};
  });
  CHECK_THAT(failure(*unasked), Contains("what was read of it makes no sense"));
}

TEST_CASE("what a confined process throws is thrown, and it goes on", "[data][files][errors]") {
  const auto process = confined([](const std::string& request) -> Answer {
    if (request == "throw") throw FileError({"what", "where", "fix"});
    return {request};
  });
  CHECK(failure(*process, "throw") == "error: what\n  where: where\n  fix:   fix");
  CHECK(process->ask("go on") == "go on");
}

TEST_CASE("a confined process writes no file, reaches nobody and starts nothing",
          "[data][files][errors]") {
  const Folder folder;
  const std::string path = folder.file("there.txt", "content");
  const auto process = confined([&](const std::string&) -> Answer {
    std::string done;
    if (open(path.c_str(), O_WRONLY) >= 0) done += "opened to write ";
    if (open((folder / "new").c_str(), O_CREAT | O_RDWR, 0600) >= 0) done += "created ";
    if (unlink(path.c_str()) == 0) done += "removed ";
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0) done += "made a socket ";
    if (kill(getppid(), 0) == 0) done += "sent a signal ";
    if (fork() >= 0) done += "forked ";
    if (open(path.c_str(), O_RDONLY) >= 0) done += "read";
    return {done};
  });
  CHECK(process->ask("") == "read");
  CHECK(read_file(path) == "content");
}

TEST_CASE("a confined process holds no file and no lock of the program", "[data][files]") {
  const Folder folder;
  const std::string path = folder.file("lock", "");
  const int lock = open(path.c_str(), O_RDWR);
  REQUIRE(flock(lock, LOCK_EX) == 0);
  const auto process = confined([](const std::string& request) { return Answer{request}; });
  process->ask("alive");
  close(lock);

  const int again = open(path.c_str(), O_RDWR);
  CHECK(flock(again, LOCK_EX | LOCK_NB) == 0);
  close(again);
}

TEST_CASE("no confined process is left behind, and their files are closed", "[data][files]") {
  const int before = dup(0);
  for (int round = 0; round < 20; ++round) {
    const auto process = confined([](const std::string& request) -> Answer {
      if (request == "crash") __builtin_trap();
      return {request};
    });
    CHECK_THAT(failure(*process, round % 2 == 0 ? "crash" : "fine"),
               Contains(round % 2 == 0 ? "crashed" : "answered"));
  }
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  const int after = dup(0);
  CHECK(after == before + 1);
  close(before), close(after);
}
