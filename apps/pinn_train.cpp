/// pinn-train: trains a physics-informed neural network from one problem file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "apps/asked_run.h"
#include "apps/exit_code.h"
#include "apps/programs.h"
#include "apps/say.h"
#include "apps/train_arguments.h"
#include "apps/train_on_ranks.h"
#include "solvers/records/fields/output.h"
#include "solvers/report/report.h"
#include "solvers/results/results.h"
#include "solvers/train/plan.h"
#include "solvers/train/train.h"
#include "solvers/verify/receipt.h"
#include "solvers/watch/follow.h"
#include "solvers/watch/summary.h"
#include "solvers/watch/warnings.h"

using namespace pinn;

namespace {

/// Trains a run; what the last finite state came to is told before the error.
TrainResult train_or_report(const Run& run, const TrainRequest& request) try {
  return train(run, request);
} catch (const Diverged& error) {
  std::string page, text;
  if (run.output.report && !error.folder.empty()) text = report_at_end(run, error.folder, page);
  say(page.empty() ? text : fmt::format("look:  {}\n", page));
  throw;
}

/// Writes the receipt of a run that is done into its folder.
void give_receipt(const std::string& folder, int threads) {
  const Found found = found_run(folder);
  const Run run = recorded_run(found, folder, {{"--device", "run.device", std::string("cpu")}});
  ThreadPool pool(threads > 0 ? threads : available_threads());
  const Receipt receipt = receipt_of(run, *found.checkpoint, found.file, pool);
  for (const auto& [name, hash] : run.hashes)
    if (!receipt.files.contains(name))
      tell(fmt::format("'{}' is too large for the receipt, which holds its hash: hand it on too\n",
                       name));
  const std::string file = folder + "/" + run.name + receipt_ending;
  write_receipt(file, receipt);
  say("wrote " + file + "\n");
}

int train_and_tell(const Run& run, const TrainArguments& a, bool from_folder, Ranks& ranks) {
  TrainRequest request{
      .folder = {run.name, from_folder ? a.target : a.out, a.resume, a.overwrite},
      .init_from = a.init_from,
      .force = a.force,
      .recorded = [](const Found& found,
                     const std::string& folder) { return recorded_run(found, folder); },
      .style = standard_style(a.quiet),
      .eager = a.eager,
      .verbose = a.verbose,
      .ranks = &ranks};
  const bool tells = ranks.rank() == 0;
  if (a.receipt) require_relative_files(run);
  if (a.verbose && tells) say(plan_text(run, ranks));
  TrainResult result = train_or_report(run, request);
  if (result.interrupted && tells)
    tell(fmt::format("{}: stopped; the state is saved. Go on with: pinn-train {} --resume\n",
                     result.reason, result.folder));
  if (result.interrupted) return int(ExitCode::interrupted);
  if (tells) {
    tell(warnings_text(result.warnings));
    if (a.verbose) say(summary(result));
    if (run.output.report) say(report_at_end(run, result.folder, result.page));
    say(closing(result));
    if (a.receipt) give_receipt(result.folder, a.threads);
  }
  return int(result.failed ? ExitCode::promise_broken : ExitCode::done);
}

/// Follows a run; a user who goes before its end is done with it.
int follow_and_tell(const std::string& folder) {
  if (std::filesystem::is_regular_file(folder))
    throw UsageError({"--follow is of the folder of a run", folder, "name runs/NAME"});
  const RunEnd end = follow(folder, standard_output()).value_or(RunEnd::done);
  if (end == RunEnd::done) return int(ExitCode::done);
  return int(end == RunEnd::diverged ? ExitCode::diverged : ExitCode::interrupted);
}

/// Errors: ConfigError where there is a file already.
void begin_file(const std::string& path) {
  if (std::filesystem::exists(path))
    throw ConfigError({"there is such a file already", path, "name another one"});
  write_atomically(path, {std::string_view(config::new_problem())});
  say(fmt::format("wrote {}: change it to your problem, then pinn-train {}\n", path, path));
}

/// Settings of --set for a problem file, or for that of a run; in general where there is none.
std::string settable(const std::string& target) {
  std::string file;
  if (std::filesystem::is_directory(target)) {
    const auto found = newest_checkpoint(target, Contents::without_shared).checkpoint;
    if (found) file = found->record.config;
  } else if (std::filesystem::is_regular_file(target)) {
    file = read_problem_text(target);
  }
  return config::settable_as_text(file.empty() ? nullptr : &file);
}

int run_command(const TrainArguments& a, Ranks& ranks) {
  if (const auto told = told_of_itself(a)) return say(*told), int(ExitCode::done);
  if (a.target.empty())
    throw UsageError({"no problem file was given", "", "try pinn-train FILE.toml, or --help"});
  if (a.is_new) return begin_file(a.target), int(ExitCode::done);
  if (a.follow) return follow_and_tell(a.target);
  const bool is_folder = std::filesystem::is_directory(a.target);
  if (is_folder) check_usage_of_folder(a);
  if (is_folder && a.receipt && !a.resume)
    return give_receipt(a.target, a.threads), int(ExitCode::done);
  if (is_folder && !a.resume)
    return say(status(a.target) + report_age(a.target)), int(ExitCode::done);
  if (a.json) return check_as_json(a, is_folder, ranks);
  const Run run = read_asked(a, is_folder, ranks);
  if (!a.dump.empty() && ranks.rank() == 0)
    write_atomically(a.dump, {steps_dump(run, a.dump.ends_with(".dot"))});
  if (!a.points.empty()) write_points(run, a.points);
  if (a.check)
    return say(plan_text(run, ranks) + warnings_text(warnings_of(run))), int(ExitCode::done);
  return a.points.empty() ? train_and_tell(run, a, is_folder, ranks) : int(ExitCode::done);
}

}  // namespace

int pinn_train_main(int argc, char** argv) { return pinn_train_on_ranks(argc, argv, alone()); }

int pinn_train_on_ranks(int argc, char** argv, Ranks& ranks) {
  CLI::App app{"Trains a physics-informed neural network from one problem file."};
  TrainArguments arguments;
  declare(app, arguments);
  const auto command = [&] {
    const std::unique_ptr<WarningSink> silent = as_one_of(ranks, arguments);
    if (ranks.rank() > 0 && is_for_one(arguments)) return int(ExitCode::done);
    if (arguments.shell.empty()) return run_command(arguments, ranks);
    say(arguments.shell == "keys" ? settable(arguments.target)
                                  : completion_script(app, program_name(argv[0]), arguments.shell));
    return int(ExitCode::done);
  };
  return guarded(app, argc, argv, command, ranks);
}
