#include "solvers/state/signals.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/catch.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

/// The wait status of a child process that does `act`, with signals as a shell hands them on, or
/// exits with 99 when it comes through.
template <class Act> int outcome(Act act) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) std::signal(signal, SIG_DFL);
    act();
    ::_exit(99);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("a signal is noted and named, and the program goes on", "[train][signals]") {
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP, SIGUSR1);
  const std::string name = signal == SIGINT    ? "SIGINT"
                           : signal == SIGTERM ? "SIGTERM"
                           : signal == SIGHUP  ? "SIGHUP"
                                               : "SIGUSR1";
  const int status = outcome([&] {
    const Signals signals;
    if (!reason_to_stop(true, 0, 0).empty()) ::_exit(1);
    std::raise(signal);
    if (Signals::caught() != signal) ::_exit(2);
    if (!reason_to_stop(true, 0, 0).starts_with(name)) ::_exit(3);
  });
  CHECK(WEXITSTATUS(status) == 99);
}

TEST_CASE("a SIGINT or SIGTERM a second after a signal ends the process at once with code 4",
          "[train][signals]") {
  const int first = GENERATE(SIGINT, SIGUSR1), second = GENERATE(SIGINT, SIGTERM);
  const int status = outcome([&] {
    const Signals signals;
    std::raise(first);
    ::usleep(1'100'000);
    std::raise(second);
  });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 4);
}

TEST_CASE("a closing terminal, and a launcher, may say so twice", "[train][signals]") {
  const int status = outcome([] {
    const Signals signals;
    for (const int signal : {SIGTERM, SIGHUP, SIGHUP, SIGUSR1, SIGTERM, SIGINT}) std::raise(signal);
  });
  CHECK(WEXITSTATUS(status) == 99);
}

TEST_CASE("broken pipes and limits on file sizes kill nobody", "[train][signals]") {
  const int status = outcome([] {
    const Signals signals;
    std::raise(SIGPIPE);
    std::raise(SIGXFSZ);
  });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 99);
}

TEST_CASE("afterwards signals do what they did before", "[train][signals]") {
  const int status = outcome([] {
    { const Signals signals; }
    std::raise(SIGTERM);
  });
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("the time limit counts from the start of the program", "[train][signals]") {
  const Signals signals;
  CHECK(reason_to_stop(true, 0, pinn::clock() - 1e6).empty());
  CHECK(reason_to_stop(true, 3600, pinn::clock() - 3599).empty());
  CHECK_THAT(reason_to_stop(true, 3600, pinn::clock() - 3600), Contains("time limit of 3600 s"));
}

TEST_CASE("a signal that the program was started to ignore stays ignored", "[train][signals]") {
  const int status = outcome([] {
    std::signal(SIGHUP, SIG_IGN);  // as nohup does
    const Signals signals;
    std::raise(SIGHUP);
    if (Signals::caught() != 0) ::_exit(1);
  });
  CHECK(WEXITSTATUS(status) == 99);
}
