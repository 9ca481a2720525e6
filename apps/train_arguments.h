#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/exit_code.h"
#include "autograd/core/version.h"
#include "configs/examples.h"
#include "configs/keys.h"
#include "data/files/fields.h"

namespace pinn {

/// Command line of pinn-train.
struct TrainArguments {
  std::string target, init_from, out, dump, points, device, max_time, shell, example;
  std::vector<std::string> sets;
  int threads = 0;
  double rank_patience = 600;
  bool resume = false, overwrite = false, force = false, check = false, keys = false,
       schema = false;
  bool examples = false, is_new = false;
  bool eager = false, quiet = false, verbose = false, strict = false;
  bool follow = false, json = false, receipt = false;
};

/// Options of the run that is trained.
inline void declare_run(CLI::App& app, TrainArguments& a) {
  app.set_version_flag("--version", "pinn-train " + std::string(version()));
  app.add_option("TARGET", a.target, "A problem file (.toml), or the folder of a run");
  auto* resume = app.add_flag(
      "--resume", a.resume, "Go on with the run in TARGET, or the latest of the file, or start it");
  app.add_option("--out", a.out, "Folder for the run (default: runs/NAME, runs/NAME-2, ...)");
  app.add_flag("--overwrite", a.overwrite, "Replace the run that the folder holds")
      ->excludes(resume);
  auto* init = app.add_option(
      "--init-from", a.init_from,
      "Start from that run: its parameters, or a fit of another network to its fields");
  app.add_flag("--force", a.force,
               "... its parameters as they are, where they mean another function, too")
      ->needs(init);
  app.add_option("--set", a.sets, "Override KEY=VALUE, as in stage.1.steps=200; may be repeated")
      ->expected(1)
      ->take_all();
  app.add_flag("--receipt", a.receipt,
               "At the end, or of a run that is done, write its receipt for pinn-verify");
  app.add_flag("--follow", a.follow, "Show the run in the folder TARGET while it is at work")
      ->excludes(resume);
}

/// Options that print something instead, or write what a run would do.
inline void declare_prints(CLI::App& app, TrainArguments& a) {
  auto* check = app.add_flag("--check", a.check, "Read and check everything, print the plan, stop");
  app.add_flag("--json", a.json, "... as JSON: the plan, or the mistakes with their places")
      ->needs(check);
  app.add_flag("--strict", a.strict,
               "Exit with code 8 if the error exceeds what [reference] promises");
  app.add_flag("--keys", a.keys, "Print every key of the problem file with type and default");
  app.add_flag("--schema", a.schema, "Print these keys as a JSON Schema, for editors");
  app.add_flag("--examples", a.examples, "List the shipped problems");
  app.add_option("--example", a.example, "Print one of them, as in --example heat > heat.toml");
  app.add_flag("--new", a.is_new, "Write a commented problem to begin with to TARGET, or print it");
  app.add_option("--dump", a.dump, "Write the traced step to FILE.txt, or drawn to FILE.dot")
      ->check([](const std::string& f) -> std::string {
        return f.ends_with(".txt") || f.ends_with(".dot") ? "" : f + " ends with neither of them";
      });
  app.add_option("--points", a.points, "Write all points to FILE" + endings(true) + ", stop");
}

/// Options of how it computes, and how much it says.
inline void declare_computing(CLI::App& app, TrainArguments& a) {
  app.add_flag("--eager", a.eager, "Run op by op, without a compiled step");
  app.add_option("--device", a.device, "cpu, cuda, cuda:N or auto");
  app.add_option("--threads", a.threads, "Threads (default: what the machine allows this process)")
      ->check(thread_count());
  app.add_option("--max-time", a.max_time, "Save and stop after this time, as in 2h30m or 90");
  app.add_option("--rank-patience", a.rank_patience,
                 "Seconds that one of several ranks waits for others, before all end (600)")
      ->check(CLI::Range(1.0, 1e6));
  auto* quiet = app.add_flag("--quiet", a.quiet, "Errors and the result only");
  app.add_flag("--verbose", a.verbose,
               "Also print the plan, compilations, the speed, and residuals and errors in full")
      ->excludes(quiet);
  app.add_option("--completion", a.shell,
                 "Print a script for bash, zsh or fish; keys: what --set may set in TARGET")
      ->check(CLI::IsMember({"bash", "zsh", "fish", "keys"}));
}

inline void declare(CLI::App& app, TrainArguments& a) {
  declare_run(app, a);
  declare_prints(app, a);
  declare_computing(app, a);
  const std::string examples =
      "Examples\n"
      "  pinn-train --new rod.toml                          a file to begin with\n"
      "  pinn-train configs/burgers.toml                    train; results in runs/burgers\n"
      "  pinn-train configs/burgers.toml --check            see the plan first\n"
      "  pinn-train configs/burgers.toml --set run.seed=3   another seed\n"
      "  pinn-train runs/burgers                            how a run stands\n"
      "  pinn-train runs/burgers --follow                   the same live, with small curves\n"
      "  pinn-train runs/burgers --resume                   go on where it stopped\n"
      "  mpirun -n 4 pinn-train configs/burgers.toml        four processes train one run\n";
  app.footer(examples + exit_codes);
}

/// Refuses options that make no sense for a folder as the target.
inline void check_usage_of_folder(const TrainArguments& a) {
  const auto refuse = [&](const std::string& option, const std::string& fix) {
    throw UsageError({option + " does not go with the folder of a run", a.target, fix});
  };
  if (!a.out.empty()) refuse("--out", "leave it out: the run goes on where it is");
  if (!a.init_from.empty()) refuse("--init-from", "name the problem file");
  if (a.overwrite) refuse("--overwrite", "name the problem file");
  if (!a.resume && !a.sets.empty()) refuse("--set without --resume", "add --resume to go on");
}

/// The folder of the shipped problems: of the installation or the source tree that the running
/// program is in. Empty where there is none.
inline std::string shipped_problems() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  if (failed) return "";
  for (const char* place : {"../share/doc/pinn/configs", "../../configs"})
    if (const auto folder = program / place; std::filesystem::exists(folder, failed))
      return folder.lexically_normal().string();
  return "";
}

/// Answer to what is asked of the program itself, and of no problem; nothing where none of it is.
inline std::optional<std::string> told_of_itself(const TrainArguments& a) {
  if (a.keys) return config::keys_as_text();
  if (a.schema) return config::keys_as_schema();
  if (a.examples) return config::examples_as_text();
  if (!a.example.empty())
    return config::with_files_from(shipped_problems(), config::example_named(a.example));
  if (a.is_new && a.target.empty()) return config::new_problem();
  return {};
}

}  // namespace pinn
