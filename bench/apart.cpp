#include "bench/resident.h"

#include <sys/wait.h>
#include <unistd.h>

#include "autograd/core/error.h"

namespace pinn::bench {
namespace {

std::vector<std::string> arguments(const Options& o) {
  std::vector<std::string> all{"pinn-bench", o.workload};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) all.insert(all.end(), {name, value});
  };
  const auto add_number = [&](const char* name, std::int64_t value) {
    add(name, std::to_string(value));
  };
  add_number("--points", o.points);
  add_number("--width", o.width);
  add_number("--layers", o.layers);
  add_number("--count", o.count);
  add_number("--threads", o.threads);
  add_number("--samples", o.samples);
  add("--dtype", o.dtype == DType::float64 ? "f64" : "f32");
  add("--activation", o.activation);
  add("--row", o.row);
  add("--folder", o.folder);
  return all;
}

/// The exit status of this program, started anew; 128 and the signal that ended it.
int run(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    throw FileError({"cannot start a process", "pinn-bench", "free some memory"});
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

void run_apart(const Options& options, Journal& journal) {
  const int status = run(arguments(options));
  const std::string what =
      options.row.empty() ? fmt::format("{} points", options.points) : options.row;
  if (status != 0) journal.validate(what + ": how its process ended", status, 0);
}

}  // namespace pinn::bench
