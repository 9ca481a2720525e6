/// pinn-export: evaluates a trained run anywhere and writes it as HDF5, XDMF, VTU or CSV.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/exit_code.h"
#include "autograd/core/version.h"
#include "configs/read.h"
#include "solvers/train/export.h"
#include "solvers/train/misfits.h"
#include "solvers/train/point_sets.h"
#include "solvers/train/summary.h"
#include "solvers/train/warnings.h"

using namespace pinn;

namespace {

struct Arguments {
  std::string folder, on = "grid", fields, out, grid;
  int threads = 0;
};

void declare(CLI::App& app, Arguments& a) {
  app.set_version_flag("--version", "pinn-export " + std::string(version()));
  app.add_option("RUN", a.folder, "The folder of a run")->required();
  app.add_option(
      "--on", a.on,
      "grid (that of the problem file), or a CSV or HDF5 file with a column per coordinate");
  app.add_option("--fields", a.fields, "Names and expressions between commas: u,u_x,d(u*u, x)");
  app.add_option("--grid", a.grid, "Points per coordinate instead of the file's: x=401,t=11");
  app.add_option("-o,--output", a.out, "FILE.h5, .xdmf, .vtu or .csv")->required();
  app.add_option("--threads", a.threads, "Threads (default: what the machine allows)")
      ->check(CLI::PositiveNumber);
  app.footer(
      "Examples\n"
      "  pinn-export runs/burgers --on grid -o burgers.xdmf\n"
      "  pinn-export runs/burgers --on probes.csv --fields u,u_x,residual -o probes_out.csv\n"
      "  pinn-export runs/burgers --grid x=1001,t=5 --fields u -o fine.csv");
}

/// ["u", "d(u, x)"] of u,d(u, x): a comma in parentheses stands in an expression.
std::string quoted_list(const std::string& fields) {
  std::string list = "[\"";
  int depth = 0;
  for (const char c : fields) {
    depth += (c == '(') - (c == ')');
    list += c == ',' && depth == 0 ? "\", \"" : std::string(1, c);
  }
  return list + "\"]";
}

int run_command(const Arguments& a) {
  const Found found = newest_checkpoint(a.folder);
  if (!found.checkpoint)
    throw ConfigError(
        {"the folder holds no checkpoint", a.folder, "train first: pinn-train FILE.toml"});
  for (const std::string& message : found.messages) fmt::print(stderr, "{}\n", message);
  const RunRecord& record = found.checkpoint->record;
  std::vector<std::string> sets = record.overrides;
  if (!a.fields.empty()) sets.push_back("output.fields=" + quoted_list(a.fields));
  for (const std::string& part : CLI::detail::split(a.grid, ','))
    if (!part.empty()) sets.push_back("output.grid." + part);
  const TrainState& state = found.checkpoint->state;
  fmt::print(stderr, "{}\n", which_network(state.best, state.step));
  const Run run = read_run_text(record.config, record.path, sets);
  const std::string points = a.on == "grid" ? "" : a.on;
  if (!points.empty())
    fmt::print(stderr, "{}",
               warnings_text(points_outside(run.problem, file_points(run.problem, points).x, "--on",
                                            points)));
  const Written written = export_fields(run, state, points, a.out, a.threads);
  for (const std::string& file : written.files) fmt::print("wrote {}\n", file);
  if (!written.note.empty()) fmt::print(stderr, "{}\n", written.note);
  return int(ExitCode::done);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Writes the fields of a trained run: on a grid or at points, as HDF5, XDMF, VTU or CSV."};
  Arguments arguments;
  declare(app, arguments);
  return guarded(app, argc, argv, [&] { return run_command(arguments); });
}
