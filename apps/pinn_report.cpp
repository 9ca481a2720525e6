/// pinn-report: one page with all that a run, or several, came to.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "apps/exit_code.h"
#include "apps/programs.h"
#include "autograd/core/version.h"
#include "configs/recorded.h"
#include "data/files/disk.h"
#include "solvers/report/page.h"
#include "solvers/report/report.h"
#include "solvers/watch/summary.h"

using namespace pinn;

namespace {

struct ReportArguments {
  std::vector<std::string> folders;
  std::optional<std::string> out, pictures;
  int threads = 0, port = 0;
  bool serve = false, json = false;
};

void declare(CLI::App& app, ReportArguments& a) {
  app.set_version_flag("--version", "pinn-report " + std::string(version()));
  app.add_option("RUN", a.folders, "Folders of runs");
  app.add_option("-o,--out,--output", a.out, "The page (default: RUN/report.html)");
  app.add_option("--pictures", a.pictures, "A folder for each picture, as SVG and as PNG");
  app.add_option("--threads", a.threads, "Threads (default: what the machine allows)")
      ->check(thread_count());
  app.add_flag("--json", a.json, "Print what the page shows as JSON, and write nothing");
  CLI::Option* serve =
      app.add_flag("--serve", a.serve, "A page on 127.0.0.1 that follows the run, until Ctrl-C");
  app.add_option("--port", a.port, "Where it is served (default: a free port)")
      ->check(CLI::Range(1, 65535))
      ->needs(serve);
  app.footer(
      "Examples\n"
      "  pinn-report runs/burgers                           writes runs/burgers/report.html\n"
      "  pinn-report runs/burgers runs/burgers-2 -o both.html   side by side\n"
      "  pinn-report runs/burgers --pictures figures        each picture as files\n"
      "  pinn-report runs/burgers --json                    the same as data\n"
      "  pinn-report --serve runs/burgers                   follows it in a browser\n");
}

ReportedRun read_reported(const std::string& folder) {
  const Found found = found_run(folder);
  for (const std::string& message : found.messages) tell(message + "\n");
  return {folder, recorded_run(found, folder), *found.checkpoint, status(folder)};
}

std::vector<ReportedRun> read_all(const std::vector<std::string>& folders) {
  std::vector<ReportedRun> runs;
  for (const std::string& folder : folders) runs.push_back(read_reported(folder));
  return runs;
}

void check_usage(const ReportArguments& a) {
  const bool several = a.folders.size() > 1;
  if (a.folders.empty())
    throw UsageError({"no run was named", "", "try pinn-report runs/NAME, or --help"});
  if (a.serve && several) throw UsageError({"--serve is of one run", "", "name one folder"});
  if (a.serve && (a.out || a.pictures))
    throw UsageError({"--serve writes no files", "", "leave -o and --pictures out"});
  if (a.json && (a.serve || a.out || a.pictures))
    throw UsageError({"--json prints, and writes and serves nothing", "",
                      "leave --serve, -o and --pictures out"});
  if (a.out && a.out->empty())
    throw UsageError({"-o names no file", "", "add a name, -o report.html, or leave -o out"});
  if (a.pictures && a.pictures->empty())
    throw UsageError({"--pictures names no folder", "", "add a name: --pictures figures"});
  if (several && a.pictures) throw UsageError({"--pictures is of one run", "", "name one folder"});
  if (several && !a.out && !a.serve && !a.json)
    throw UsageError({"several runs, and no name for the page", "", "add -o report.html"});
}

int serve_run(const ReportArguments& a) {
  serve({a.folders[0], a.port, [&] { return report_page(read_all(a.folders), a.threads); }, say});
  return int(ExitCode::done);
}

int run_command(const ReportArguments& a) {
  check_usage(a);
  if (a.serve) return serve_run(a);
  const std::vector<ReportedRun> runs = read_all(a.folders);
  if (a.json) return say(report_json(runs)), int(ExitCode::done);
  if (a.pictures)
    for (const std::string& file : write_pictures(runs[0], *a.pictures, a.threads))
      say("wrote " + file + "\n");
  if (a.pictures && !a.out) return int(ExitCode::done);
  const std::string out = a.out.value_or(a.folders[0] + "/report.html");
  write_atomically(out, {report_page(runs, a.threads)});
  say("wrote " + out + "\n");
  return int(ExitCode::done);
}

}  // namespace

int pinn_report_main(int argc, char** argv) {
  CLI::App app{
      "Writes one page with all that a run, or several, came to: equations, fields, "
      "errors, training."};
  ReportArguments arguments;
  declare(app, arguments);
  return guarded(app, argc, argv, [&] { return run_command(arguments); });
}
