/// pinn-sweep: trains runs of one problem file that differ in some keys, side by side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/exit_code.h"
#include "apps/programs.h"
#include "apps/say.h"
#include "apps/sweep_arguments.h"
#include "configs/sweep.h"
#include "solvers/sweep/sweep.h"

using namespace pinn;

namespace {

sweep::Work work_of(const SweepArguments& a, const sweep::Sweep& sweep, const std::string& folder) {
  const int all = processors();
  sweep::Work work{.folder = folder, .trainer = trainer_of(a)};
  work.threads = a.threads > 0 ? a.threads : a.jobs > 0 ? std::max(1, all / a.jobs) : 1;
  work.jobs = a.jobs > 0 ? a.jobs : std::max(1, all / work.threads);
  if (!a.max_time.empty()) work.max_time = time_limit(sweep, a.max_time);
  work.waits = is_one_of_several();
  if (!a.quiet) work.tell = [](const std::string& line) { tell(line + "\n"); };
  return work;
}

/// Those that have ended decide; where several launched processes share a sweep, for all alike.
ExitCode code_of(const sweep::Count& count) {
  if (count.failed > 0) return ExitCode::failed;
  if (count.diverged > 0) return ExitCode::diverged;
  if (count.interrupted + count.waiting > 0) return ExitCode::interrupted;
  return count.promise_broken > 0 ? ExitCode::promise_broken : ExitCode::done;
}

std::string left_text(const sweep::Count& count, const std::string& folder) {
  std::string text;
  if (count.running > 0)
    text += fmt::format("{} {} at work in other processes: the table of all is in {}/table.csv\n",
                        count.running, count.running == 1 ? "member is" : "members are", folder);
  if (const std::size_t left = count.interrupted + count.waiting; left > 0)
    text += fmt::format("{} {} not done: go on with the same command\n", left,
                        left == 1 ? "member is" : "members are");
  return text;
}

/// As it stands. Errors: ConfigError where nothing was trained yet.
std::string table_of(const sweep::Sweep& sweep, const std::string& folder) {
  if (!sweep::holds_sweep(folder))
    throw ConfigError({"there is no such sweep yet", folder, "leave --table out to train it"});
  enter(folder, sweep);
  return table(folder, sweep);
}

int run_command(const SweepArguments& a) {
  const sweep::Sweep all = read_sweep(a.sweep);
  const std::string folder = a.out.empty() ? "sweeps/" + all.name : a.out;
  if (a.table) return say(table_of(all, folder)), int(ExitCode::done);
  const sweep::Work work = work_of(a, all, folder);
  enter(folder, all);
  const std::string reason = train(all, work);
  write_table(folder, all);
  if (is_first()) say(table(folder, all));
  const sweep::Count count = sweep::count(folder, all);
  if (!reason.empty())
    tell(fmt::format("{}: stopped; what was trained is saved. Go on with the same command\n",
                     reason));
  if (!reason.empty()) return int(ExitCode::interrupted);
  if (is_first()) tell(left_text(count, folder));
  return int(code_of(count));
}

}  // namespace

int pinn_sweep_main(int argc, char** argv) {
  CLI::App app{
      "Trains runs of one problem file that differ in some keys, side by side, and compares them."};
  SweepArguments arguments;
  declare(app, arguments);
  return guarded(app, argc, argv, [&] { return run_command(arguments); });
}
