#include "data/files/confined/confined.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "autograd/core/error.h"
#include "data/files/confined/confined_child.h"
#include "data/files/disk.h"
#include "data/files/hdf5_handle.h"

namespace pinn {
namespace {

constexpr int silence = 600'000;  ///< milliseconds without a byte after which the wait ends

/// All signals held back, so that none is handled between a fork and what the child does first.
class Quiet {
 public:
  Quiet() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~Quiet() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

/// How a process ends that has closed its socket. It stays to be reaped.
std::string last_words(int process, std::uint64_t seconds) {
  siginfo_t end = {};
  for (int tries = 0; tries < 1000 && end.si_pid == 0; ++tries) {
    waitid(P_PID, id_t(process), &end, WEXITED | WNOHANG | WNOWAIT);
    if (end.si_pid == 0) usleep(1000);
  }
  if (end.si_pid == 0) return "the reading process stopped answering";
  if (end.si_code == CLD_EXITED)
    return fmt::format("the reading process gave up (exit code {})", end.si_status);
  if (end.si_status == SIGXCPU)
    return fmt::format("reading it took more than {} seconds of computing", seconds);
  return fmt::format("the reading process crashed (signal {}, {})", end.si_status,
                     strsignal(end.si_status));
}

}  // namespace

Confined::Confined(std::string name, const Allowance& allowance,
                   const std::function<Answerer()>& open)
    : name_(std::move(name)), allowance_(allowance) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    throw_file_error("cannot make a socket to read", name_, errno);
  int failed = 0;
  {
    const Quiet quiet;
    hdf5::while_alone([&] {
      process_ = fork();
      failed = errno;
      if (process_ == 0) confined::run(pair[1], allowance_, open);
    });
  }
  close(pair[1]);
  socket_ = pair[0];
  if (process_ < 0) {
    close(socket_);
    throw_file_error("cannot start a process to read", name_, failed);
  }
  try {
    receive({});
  } catch (...) {
    end();
    throw;
  }
}

Confined::~Confined() { end(); }

void Confined::end() {
  if (socket_ >= 0) close(socket_);
  if (process_ > 0) {
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  socket_ = process_ = -1;
}

std::string Confined::ask(const std::string& request, const Room& room) {
  if (process_ < 0) fail();
  const std::uint64_t size = request.size();
  send(&size, sizeof size);
  send(request.data(), size);
  return receive(room);
}

std::string Confined::receive(const Room& room) {
  confined::Head head;
  receive(&head, sizeof head);
  if (head.words > allowance_.answer || head.numbers > allowance_.answer ||
      (head.numbers > 0 && !room))
    refuse_answer();
  std::string words(head.words, '\0');
  receive(words.data(), words.size());
  if (head.failed != 0) {
    Unpacker report(words, [&] { refuse_answer(); });
    const std::string what = report.text(), where = report.text(), fix = report.text();
    throw FileError({what, where, fix});
  }
  if (room) receive(room_for(words, head.numbers, room), head.numbers);
  return words;
}

/// An answer that is left there would be taken for the next one.
void* Confined::room_for(const std::string& words, std::uint64_t bytes, const Room& room) {
  try {
    return room(words, bytes);
  } catch (...) {
    end();
    throw;
  }
}

void Confined::receive(void* to, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, silence);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) cause_ = fmt::format("reading it gave nothing for {} seconds", silence / 1000);
    const ssize_t got =
        ready <= 0 ? 0 : recv(socket_, static_cast<char*>(to) + done, bytes - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail();
    done += std::uint64_t(got);
  }
}

void Confined::send(const void* from, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    const ssize_t sent =
        ::send(socket_, static_cast<const char*>(from) + done, bytes - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) fail();
    done += std::uint64_t(sent);
  }
}

void Confined::fail() {
  if (process_ > 0 && cause_.empty()) cause_ = last_words(process_, allowance_.seconds);
  give_up(cause_);
}

void Confined::refuse_answer() { give_up("what was read of it makes no sense"); }

void Confined::give_up(const std::string& cause) {
  cause_ = cause;
  end();
  throw FileError(
      {"the file is damaged: " + cause_, name_, "write the file again, or use another copy of it"});
}

}  // namespace pinn
