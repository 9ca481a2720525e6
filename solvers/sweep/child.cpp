#include "solvers/sweep/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "data/files/disk.h"
#include "solvers/sweep/member_record.h"

namespace pinn::sweep {
namespace {

constexpr int saves_and_ends = SIGUSR1;
constexpr std::string_view launchers[] = {"OMPI_", "PMI_",   "PMI2_", "PMIX_", "PRTE_",
                                          "HYDRA", "I_MPI_", "MPI_",  "MV2_",  "SLURM_"};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// A pipe in its place would make the call wait for a reader.
int opened_log(const std::string& log) {
  constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  require_plain_file(log);
  const int file = ::open(log.c_str(), flags, 0666);
  if (file < 0) throw_file_error("cannot open the log", log, errno);
  require_plain(file, log);
  return file;
}

/// In the child, which may make system calls alone: the program takes its place.
[[noreturn]] void become(const std::vector<char*>& words, const std::vector<char*>& environment,
                         int log, int lock, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, saves_and_ends);
  if (::getppid() != parent) ::_exit(code_not_started);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::fcntl(lock, F_SETFD, 0);
  ::execve(words[0], words.data(), environment.data());
  ::_exit(code_not_started);
}

}  // namespace

std::vector<std::string> environment_alone() {
  std::vector<std::string> kept;
  for (char** entry = environ; *entry; ++entry)
    if (std::ranges::none_of(launchers, [&](std::string_view launcher) {
          return std::string_view(*entry).starts_with(launcher);
        }))
      kept.emplace_back(*entry);
  return kept;
}

Child::Child(const std::vector<std::string>& words, const std::string& log, const Lock& lock) {
  std::vector<std::string> texts = words, environment = environment_alone();
  const std::vector<char*> argv = pointers(texts), envp = pointers(environment);
  const int file = opened_log(log);
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0) become(argv, envp, file, lock.descriptor(), parent);
  const int error = errno;
  ::close(file);
  if (process_ < 0) throw_file_error("cannot start a process", words[0], error);
}

Child::~Child() {
  if (process_ <= 0) return;
  stop();
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Child::Child(Child&& other) noexcept : process_(std::exchange(other.process_, 0)) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(process_, other.process_);
  return *this;
}

std::optional<int> Child::ended() {
  int status = 0;
  if (process_ <= 0 || ::waitpid(process_, &status, WNOHANG) != process_) return {};
  process_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : code_of_signals + WTERMSIG(status);
}

void Child::stop() const {
  if (process_ > 0) ::kill(process_, saves_and_ends);
}

}  // namespace pinn::sweep
