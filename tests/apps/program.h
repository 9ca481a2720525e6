#pragma once
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "data/files/disk.h"
#include "tests/data/files/folder.h"
#include "tests/skip.h"

/// The programs, run as a shell runs them.
namespace pinn::test {

struct Outcome {
  int code = -1;   ///< exit code; -1 when a signal ended it
  int signal = 0;  ///< that signal
  std::string out, err;
};

/// A program at work in a folder, its output going to files there.
class Program {
 public:
  /// `name`: of one of ours, or the path of another; `memory`: most bytes it may have to write to
  /// (RLIMIT_DATA); `file`: most bytes of a file (RLIMIT_FSIZE); 0: no limit.
  Program(const std::string& name, const std::vector<std::string>& arguments,
          const std::string& folder, rlim_t memory = 0, rlim_t file = 0)
      : out_(folder + "/stdout.txt"), err_(folder + "/stderr.txt") {
    std::vector<std::string> words = {
        name.starts_with("/") ? name : std::string(PINN_BINARY_DIR) + "/" + name};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    child_ = ::fork();
    if (child_ == 0) become(argv, folder, memory, file);
  }
  ~Program() {
    if (child_ > 0) stop(SIGKILL);
  }
  Program(const Program&) = delete;

  pid_t id() const { return child_; }
  void send(int signal) const { ::kill(child_, signal); }
  bool running() const {
    siginfo_t info{};
    ::waitid(P_PID, id_t(child_), &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid == 0;
  }
  Outcome wait() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = 0;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            WIFSIGNALED(status) ? WTERMSIG(status) : 0, read_file(out_), read_file(err_)};
  }
  Outcome stop(int signal) {
    send(signal);
    return wait();
  }

 private:
  /// In the child: nothing but system calls, for other threads may have held locks.
  void become(std::vector<char*>& argv, const std::string& folder, rlim_t memory,
              rlim_t file) const {
    const rlimit limit = {memory, memory}, of_file = {file, file};
    const int out = ::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const int err = ::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (::dup2(out, 1) < 0 || ::dup2(err, 2) < 0 || ::chdir(folder.c_str()) != 0) ::_exit(97);
    if (memory > 0) ::setrlimit(RLIMIT_DATA, &limit);
    if (file > 0) ::setrlimit(RLIMIT_FSIZE, &of_file);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) std::signal(signal, SIG_DFL);
    ::execv(argv[0], argv.data());
    ::_exit(98);
  }

  pid_t child_ = 0;
  std::string out_, err_;
};

inline Outcome pinn_train(const Folder& folder, const std::vector<std::string>& arguments,
                          rlim_t memory = 0) {
  return Program("pinn-train", arguments, folder.path, memory).wait();
}

inline Outcome pinn_export(const Folder& folder, const std::vector<std::string>& arguments) {
  return Program("pinn-export", arguments, folder.path).wait();
}

/// Waits until something is true; gives up after a minute, for slow machines.
template <class Condition> bool comes_true(Condition condition) {
  for (int i = 0; i < 60000; ++i) {
    if (condition()) return true;
    ::usleep(1000);
  }
  return false;
}

/// How often a text holds another.
inline int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

/// u'' = -pi^2 sin(pi x), trained for 20 steps: well under a tenth of a second.
inline const char* small_problem = R"toml([problem]
coordinates = { x = [-1.0, 1.0] }
fields      = ["u"]

[[equation]]
name     = "poisson"
residual = "u_xx = -pi^2*sin(pi*x)"
points   = 24

[network]
layers = [6]

[network.output]
u = "(1 - x^2)*N"

[[stage]]
name      = "descent"
optimizer = "adam"
steps     = 20

[run]
threads = 1

[output]
grid = { x = 11 }

[reference]
exact = { u = "sin(pi*x)" }
)toml";

/// A folder with it.
struct WorkFolder : Folder {
  WorkFolder() { file("small.toml", small_problem); }
  bool has(const std::string& name) const { return std::filesystem::exists(*this / name); }
};

}  // namespace pinn::test
