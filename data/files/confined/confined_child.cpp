#include "data/files/confined/confined_child.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>

#include "autograd/core/error.h"

namespace pinn::confined {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool shadowed = true;  ///< by terabytes of a sanitizer's own addresses
#else
constexpr bool shadowed = false;
#endif

constexpr int door = 3;  ///< the socket's number

/// A key press that ends the program ends its socket, too; a crash ends the process, and only it.
void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2})
    std::signal(signal, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

/// Keeps the socket as file 3; 0 to 2 lead nowhere. Others stay open, and locked, without this.
void let_go_of_files(int socket) {
  if (socket != door) dup2(socket, door);
  close_range(door + 1, ~0u, 0);
  const int nowhere = open("/dev/null", O_RDWR);
  for (int file = 0; file < door; ++file) nowhere < 0 ? close(file) : dup2(nowhere, file);
  if (nowhere > door) close(nowhere);
}

void limit(__rlimit_resource what, std::uint64_t soft, std::uint64_t hard) {
  rlimit before;
  if (getrlimit(what, &before) != 0) return;
  const rlimit now{std::min<rlim_t>(soft, before.rlim_max),
                   std::min<rlim_t>(hard, before.rlim_max)};
  setrlimit(what, &now);
}

/// Addresses in use, in bytes; 0 where the system does not tell.
std::uint64_t addresses() {
  char text[64] = {};
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const ssize_t got = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  unsigned long pages = 0;
  return got > 0 && std::sscanf(text, "%lu", &pages) == 1
             ? std::uint64_t(pages) * std::uint64_t(sysconf(_SC_PAGESIZE))
             : 0;
}

void limit_resources(const Allowance& allowance) {
  const std::uint64_t held = addresses();
  if (held > 0 && !shadowed) limit(RLIMIT_AS, held + allowance.memory, held + allowance.memory);
  limit(RLIMIT_CPU, allowance.seconds, allowance.seconds + 1);
  limit(RLIMIT_FSIZE, 0, 0);
  limit(RLIMIT_CORE, 0, 0);
}

/// False when the other end is closed.
bool send_all(const void* from, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    const ssize_t sent =
        send(door, static_cast<const char*>(from) + done, bytes - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += std::uint64_t(sent);
  }
  return true;
}

bool receive_all(void* to, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    const ssize_t got = recv(door, static_cast<char*>(to) + done, bytes - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += std::uint64_t(got);
  }
  return true;
}

bool send_answer(const Answer& answer, bool failed) {
  const Head head{failed, answer.words.size(), answer.bytes};
  return send_all(&head, sizeof head) && send_all(answer.words.data(), answer.words.size()) &&
         send_all(answer.numbers.get(), answer.bytes);
}

Answer words_of(const Report& report) {
  return {Packer().text(report.what).text(report.where).text(report.fix).bytes()};
}

/// Sends what `answer` gives, or the report of what it throws.
template <class Give> bool answer_with(Give give) {
  try {
    return send_answer(give(), false);
  } catch (const Error& error) {
    return send_answer(words_of(error.report), true);
  } catch (const std::bad_alloc&) {
    return send_answer(
        words_of({"reading the file needs more memory than there is, or than a file of its size "
                  "may need",
                  "", "write the file again if it should be small: it may be damaged"}),
        true);
  }
}

void serve(const std::function<Confined::Answerer()>& open) {
  Confined::Answerer answerer;
  bool there = answer_with([&] {
    answerer = open();
    return Answer();
  });
  std::uint64_t size = 0;
  while (there && answerer && receive_all(&size, sizeof size)) {
    std::string request(size, '\0');
    there = receive_all(request.data(), size) && answer_with([&] { return answerer(request); });
  }
}

}  // namespace

void run(int socket, const Allowance& allowance,
         const std::function<Confined::Answerer()>& open) noexcept {
  let_go_of_files(socket);
  limit_resources(allowance);
  forbid_calls();
  reset_signals();
  serve(open);
  _exit(0);
}

}  // namespace pinn::confined
