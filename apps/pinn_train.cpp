/// pinn-train: trains a physics-informed neural network from one problem file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "apps/exit_code.h"
#include "apps/say.h"
#include "autograd/core/version.h"
#include "configs/keys.h"
#include "configs/read.h"
#include "solvers/report/report.h"
#include "solvers/train/output.h"
#include "solvers/train/plan.h"
#include "solvers/train/summary.h"
#include "solvers/train/train.h"
#include "solvers/train/warnings.h"

using namespace pinn;

namespace {

struct Arguments {
  std::string target, init_from, out, dump, points, device, max_time, shell;
  std::vector<std::string> sets;
  int threads = 0;
  bool resume = false, overwrite = false, check = false, keys = false, schema = false;
  bool eager = false, quiet = false, verbose = false, strict = false;
};

void declare(CLI::App& app, Arguments& a) {
  app.set_version_flag("--version", "pinn-train " + std::string(version()));
  app.add_option("TARGET", a.target, "A problem file (.toml), or the folder of a run");
  auto* resume = app.add_flag(
      "--resume", a.resume, "Go on with the run in TARGET, or the latest of the file, or start it");
  app.add_option("--out", a.out, "Folder for the run (default: runs/NAME, runs/NAME-2, ...)");
  app.add_flag("--overwrite", a.overwrite, "Replace the run that the folder holds")
      ->excludes(resume);
  app.add_option("--init-from", a.init_from, "Start from the parameters of that run folder");
  app.add_option("--set", a.sets, "Override KEY=VALUE, as in stage.1.steps=200; may be repeated")
      ->expected(1)
      ->take_all();
  app.add_flag("--check", a.check, "Read and check everything, print the plan, stop");
  app.add_flag("--strict", a.strict, "End with 8 when the result breaks a promise of [reference]");
  app.add_flag("--keys", a.keys, "Print every key of the problem file with type and default");
  app.add_flag("--schema", a.schema, "Print these keys as a JSON Schema, for editors");
  app.add_option("--dump", a.dump, "Write the traced step to FILE.txt, or drawn to FILE.dot")
      ->check([](const std::string& f) -> std::string {
        return f.ends_with(".txt") || f.ends_with(".dot") ? "" : f + " ends with neither of them";
      });
  app.add_option("--points", a.points, "Write all points to FILE.csv or FILE.vtu, stop");
  app.add_flag("--eager", a.eager, "Run op by op, without a compiled step");
  app.add_option("--device", a.device, "cpu, cuda, cuda:N or auto");
  app.add_option("--threads", a.threads, "Threads (default: what the machine allows this process)")
      ->check(thread_count());
  app.add_option("--max-time", a.max_time, "Save and stop after this time, as in 2h30m or 90");
  auto* quiet = app.add_flag("--quiet", a.quiet, "Errors and the result only");
  app.add_flag("--verbose", a.verbose, "Also print the plan and compilations")->excludes(quiet);
  app.add_option("--completion", a.shell, "Print a completion script for bash or zsh")
      ->check(CLI::IsMember({"bash", "zsh"}));
  const std::string examples =
      "Examples\n"
      "  pinn-train configs/burgers.toml                    train; results in runs/burgers\n"
      "  pinn-train configs/burgers.toml --check            see the plan first\n"
      "  pinn-train configs/burgers.toml --set run.seed=3   another seed\n"
      "  pinn-train runs/burgers                            how a run stands\n"
      "  pinn-train runs/burgers --resume                   go on where it stopped\n";
  app.footer(examples + exit_codes);
}

std::vector<Flag> flags(const Arguments& a) {
  std::vector<Flag> all;
  if (!a.device.empty()) all.push_back({"--device", "run.device", a.device});
  if (a.threads > 0) all.push_back({"--threads", "run.threads", std::to_string(a.threads)});
  if (a.strict) all.push_back({"--strict", "reference.strict", "true"});
  if (!a.max_time.empty()) all.push_back({"--max-time", "run.max_time", a.max_time});
  return all;
}

/// The run a folder was made by, with its overrides and then ours.
Run read_again(const Arguments& a) {
  const Found found = newest_checkpoint(a.target);
  if (!found.checkpoint)
    throw ConfigError({"the folder holds no checkpoint to go on from", a.target,
                       "train the problem file itself: pinn-train FILE.toml"});
  const RunRecord& record = found.checkpoint->record;
  std::vector<std::string> sets = record.overrides;
  sets.insert(sets.end(), a.sets.begin(), a.sets.end());
  return read_run_text(record.config, problem_file(record, a.target), sets, flags(a),
                       record.overrides.size(), record.chosen);
}

int train_and_tell(const Run& run, const Arguments& a, bool from_folder) {
  TrainRequest request{.folder = {run.name, from_folder ? a.target : a.out, a.resume, a.overwrite}};
  request.init_from = a.init_from;
  request.eager = a.eager;
  request.verbose = a.verbose;
  request.style = standard_style(a.quiet);
  if (a.verbose) say(plan_text(run));
  const TrainResult result = train(run, request);
  if (result.interrupted) {
    tell(fmt::format("{}: stopped; the state is saved. Go on with: pinn-train {} --resume\n",
                     result.reason, result.folder));
    return int(ExitCode::interrupted);
  }
  tell(warnings_text(result.warnings));
  say(summary(result) + (run.output.report ? report_at_end(run, result.folder) : ""));
  return int(result.failed ? ExitCode::promise_broken : ExitCode::done);
}

/// What makes no sense for a folder as the target.
void check_usage_of_folder(const Arguments& a) {
  const auto refuse = [&](const std::string& option, const std::string& fix) {
    throw UsageError({option + " does not go with the folder of a run", a.target, fix});
  };
  if (!a.out.empty()) refuse("--out", "leave it out: the run goes on where it is");
  if (!a.init_from.empty()) refuse("--init-from", "name the problem file");
  if (a.overwrite) refuse("--overwrite", "name the problem file");
  if (!a.resume && !a.sets.empty()) refuse("--set without --resume", "add --resume to go on");
}

int run_command(const Arguments& a) {
  if (a.keys || a.schema)
    return say(a.keys ? config::keys_as_text() : config::keys_as_schema()), int(ExitCode::done);
  if (a.target.empty())
    throw UsageError({"no problem file was given", "", "try pinn-train FILE.toml, or --help"});
  const bool is_folder = std::filesystem::is_directory(a.target);
  if (is_folder) check_usage_of_folder(a);
  if (is_folder && !a.resume) return say(status(a.target)), int(ExitCode::done);
  const std::string chosen = a.resume && !is_folder ? chosen_before(a.target, a.out) : "";
  const Run run = is_folder ? read_again(a) : read_run(a.target, a.sets, flags(a), chosen);
  if (!a.dump.empty()) write_atomically(a.dump, {steps_dump(run, a.dump.ends_with(".dot"))});
  if (!a.points.empty()) write_points(run, a.points);
  if (a.check) return say(plan_text(run) + warnings_text(warnings_of(run))), int(ExitCode::done);
  return a.points.empty() ? train_and_tell(run, a, is_folder) : int(ExitCode::done);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Trains a physics-informed neural network from one problem file."};
  Arguments arguments;
  declare(app, arguments);
  return guarded(app, argc, argv, [&] {
    if (arguments.shell.empty()) return run_command(arguments);
    say(completion_script(app, "pinn-train", arguments.shell));
    return int(ExitCode::done);
  });
}
