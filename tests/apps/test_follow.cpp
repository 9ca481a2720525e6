// pinn-train RUN --follow, in a pseudo-terminal and in a pipe.
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>

#include <cstdlib>
#include <optional>

#include "tests/apps/program.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// A program whose terminal we are.
class InTerminal {
 public:
  InTerminal(const std::string& folder, const std::vector<std::string>& words,
             const std::vector<std::string>& environment) {
    terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE((::grantpt(terminal_) == 0 && ::unlockpt(terminal_) == 0));
    const std::string name = ::ptsname(terminal_);
    const winsize size = {30, 90, 0, 0};
    ::ioctl(terminal_, TIOCSWINSZ, &size);
    std::vector<std::string> all = words, variables = environment;
    all.insert(all.begin(), std::string(PINN_BINARY_DIR) + "/pinn-train");
    std::vector<char*> argv, envp;
    for (std::string& word : all) argv.push_back(word.data());
    for (std::string& variable : variables) envp.push_back(variable.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    child_ = ::fork();
    if (child_ != 0) return;
    ::setsid();  // the terminal opened next is its own
    const int tty = ::open(name.c_str(), O_RDWR);
    for (int file = 0; file < 3; ++file) ::dup2(tty, file);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    if (::chdir(folder.c_str()) == 0) ::execve(argv[0], argv.data(), envp.data());
    ::_exit(98);
  }
  ~InTerminal() {
    if (child_ > 0) ::kill(child_, SIGKILL), ::waitpid(child_, nullptr, 0);
    ::close(terminal_);
  }

  void type(char c) const { REQUIRE(::write(terminal_, &c, 1) == 1); }

  /// Reads for a moment.
  const std::string& shown() {
    pollfd ready = {terminal_, POLLIN, 0};
    char buffer[4096];
    while (::poll(&ready, 1, 20) > 0) {
      const ssize_t count = ::read(terminal_, buffer, sizeof buffer);
      if (count <= 0) break;  // the program is gone
      shown_.append(buffer, std::size_t(count));
    }
    return shown_;
  }

  bool has_shown(const std::string& text) {
    return comes_true([&] { return shown().find(text) != std::string::npos; });
  }

  int wait() {
    int status = 0;
    comes_true([&] {
      shown();  // a full terminal would keep it waiting
      return ::waitpid(child_, &status, WNOHANG) == child_;
    });
    child_ = 0;
    shown();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  int terminal_ = -1;
  pid_t child_ = 0;
  std::string shown_;
};

/// A run of so many steps that it does not end by itself.
struct AtWork : Folder {
  AtWork() {
    file("small.toml", small_problem);
    run.emplace(
        "pinn-train",
        std::vector<std::string>{"small.toml", "--quiet", "--set", "stage.descent.steps=100000000"},
        path);
    REQUIRE(comes_true([&] {
      std::error_code none;
      return std::filesystem::file_size(path + "/runs/small/metrics.jsonl", none) + 1 > 2000;
    }));
  }

  std::optional<Program> run;
};

}  // namespace

TEST_CASE("following draws a run in a terminal until that ends", "[apps][live]") {
  AtWork place;
  InTerminal follower(place.path, {"runs/small", "--follow"},
                      {"LC_ALL=C.UTF-8", "TERM=xterm-256color"});
  CHECK(follower.has_shown("error of u"));
  CHECK(follower.has_shown("\x1b[J"));  // drawn
  const int before = count(follower.shown(), "\x1b[J");
  CHECK(comes_true([&] { return count(follower.shown(), "\x1b[J") > before + 1; }));
  CHECK_THAT(follower.shown(), Contains("descent 1/1") && Contains("held out") &&
                                   Contains("\x1b[36m") && Contains("of 100000000"));
  CHECK(place.run->stop(SIGTERM).code == 4);
  CHECK(follower.wait() == 4);
  const std::string& all = follower.shown();
  CHECK_THAT(all, Contains("the run was interrupted, its state is saved"));
  CHECK(all.ends_with("\n"));
  for (const char* lasting : {"\x1b[?",
                              "\x1b"
                              "7",
                              "\x1b[2J",
                              "\x1b"
                              "c"})  // modes of a terminal
    CHECK_THAT(all, !Contains(lasting));
  CHECK(count(all, "\x1b[1m") + count(all, "\x1b[36m") == count(all, "\x1b[0m"));
}

TEST_CASE("Ctrl-C ends --follow and leaves the run and its folder alone", "[apps][live]") {
  AtWork place;
  InTerminal follower(place.path, {"runs/small", "--follow"}, {"LC_ALL=C", "NO_COLOR=1"});
  CHECK(follower.has_shown("error of u"));
  follower.type('\x03');
  CHECK(follower.wait() == 0);
  CHECK(place.run->running());
  const std::string& all = follower.shown();
  CHECK(std::all_of(all.begin(), all.end(), [](unsigned char c) { return c < 0x80; }));
  CHECK_THAT(all, !Contains("\x1b[36m") && !Contains("\x1b[1m"));
  CHECK(place.run->stop(SIGTERM).code == 4);
}

TEST_CASE("following writes lines into a pipe, and outlives a kill and a resume", "[apps][live]") {
  AtWork place;
  Program follower("pinn-train", {"runs/small", "--follow"}, place.path);
  const auto lines = [&] { return count(read_file(place / "stdout.txt"), "descent 1/1"); };
  CHECK(comes_true([&] { return lines() >= 1; }));
  place.run->stop(SIGKILL);
  const Outcome followed = follower.wait();
  CHECK(followed.code == 4);
  CHECK_THAT(followed.out, Contains("nobody trains the run") && !Contains("\x1b"));
  CHECK(pinn_train(place, {"small.toml", "--follow"}).code == 2);
  CHECK(pinn_train(place, {"runs/none", "--follow"}).code == 1);
  CHECK(pinn_train(place, {"runs", "--follow"}).code == 1);
  CHECK(pinn_train(place, {"small.toml", "--resume", "--quiet", "--set", "stage.descent.steps=300"})
            .code == 0);
  const Outcome done = pinn_train(place, {"runs/small", "--follow"});
  CHECK(done.code == 0);
  CHECK_THAT(done.out, Contains("the run is done") && Contains("descent 1/1"));
}
