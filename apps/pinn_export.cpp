/// pinn-export: evaluates a trained run anywhere and writes it as HDF5, XDMF, VTU or CSV, as C, as an
/// FMU or as ONNX.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "apps/exit_code.h"
#include "apps/programs.h"
#include "autograd/core/version.h"
#include "configs/recorded.h"
#include "data/files/fields.h"
#include "solvers/points/point_sets.h"
#include "solvers/records/fields/export.h"
#include "solvers/results/results.h"
#include "solvers/source/c_file.h"
#include "solvers/source/fmu/fmu_file.h"
#include "solvers/source/onnx/onnx_file.h"
#include "solvers/watch/follow.h"
#include "solvers/watch/warnings.h"

using namespace pinn;

namespace {

struct ExportArguments {
  std::string folder, on, fields, out, grid, dtype = "float64";
  int threads = 0, fmi = 3;
};

void declare(CLI::App& app, ExportArguments& a) {
  app.set_version_flag("--version", "pinn-export " + std::string(version()));
  app.add_option("RUN", a.folder, "The folder of a run")->required();
  app.add_option(
      "--on", a.on,
      "grid; a CSV or HDF5 file with a column per coordinate; domain, boundary or any region as of "
      "a condition's `on`, as a mesh of simplices (default: as the problem file has it)");
  app.add_option("--fields", a.fields, "Names and expressions between commas: u,u_x,d(u*u, x)");
  app.add_option("--grid", a.grid,
                 "Points per coordinate instead of the file's, or a place: x=401,t=0.5");
  app.add_option("-o,--output", a.out,
                 "FILE" + endings() +
                     "; FILE.c: the fields as C functions; FILE.fmu: as an FMU; FILE.onnx: as an "
                     "ONNX model")
      ->required();
  app.add_option("--dtype", a.dtype, "Numbers of a .c or .onnx file: float64 or float32")
      ->check(CLI::IsMember({"float64", "float32"}))
      ->capture_default_str();
  app.add_option("--fmi", a.fmi, "Version of FMI of a .fmu file: 2 or 3")
      ->check(CLI::IsMember({2, 3}))
      ->capture_default_str();
  app.add_option("--threads", a.threads, "Threads (default: what the machine allows)")
      ->check(thread_count());
  app.footer(
      "Examples\n"
      "  pinn-export runs/burgers --on grid -o burgers.xdmf\n"
      "  pinn-export runs/burgers --on probes.csv --fields u,u_x,residual -o probes_out.csv\n"
      "  pinn-export runs/burgers --grid x=1001,t=0.5 --fields u -o fine.csv\n"
      "  pinn-export runs/flow --on domain -o flow.xdmf\n"
      "  pinn-export runs/flow --on \"boundary(hole)\" --fields p,u_n,n_x --grid t=1.0 -o "
      "hole.vtu\n"
      "  pinn-export runs/burgers --fields u,u_x -o u.c          u_at and u_block, and u.h\n"
      "  pinn-export runs/burgers --fields u,u_x -o u.fmu        for simulators\n"
      "  pinn-export runs/burgers --fields u,u_x -o u.onnx       inputs x and t, outputs u and "
      "u_x");
}

/// On a region fields may use its normal, which the reader of a problem file knows nothing of.
std::vector<Flag> flags(const ExportArguments& a, bool of_region) {
  std::vector<Flag> all;
  if (!a.fields.empty() && !of_region) all.push_back({"--fields", "output.fields", a.fields});
  if (!a.grid.empty()) all.push_back({"--grid", "output.grid", a.grid});
  return all;
}

/// The fields as functions of the place, for other programs.
Exported as_source(const ExportArguments& a, const Found& found) {
  const bool is_fmu = a.out.ends_with(".fmu");
  for (const auto& [flag, value] : {std::pair("--on", a.on), std::pair("--grid", a.grid)})
    if (!value.empty())
      throw UsageError(
          {fmt::format("{} names places, and {} is for all of them", flag, pinn::quoted(a.out)), "",
           "leave it out, or name another file"});
  if (is_fmu && a.dtype != "float64")
    throw UsageError({"the numbers of an FMU are float64", "--dtype", "leave it out"});
  const Run run = recorded_run(found, a.folder);
  tell(which_network(found.checkpoint->state) + "\n");
  if (is_fmu)
    return {export_fmu(run, *found.checkpoint, a.fields, a.out, a.fmi, status_json_of(a.folder)),
            {}};
  const DType dtype = a.dtype == "float32" ? DType::float32 : DType::float64;
  const auto write = a.out.ends_with(".c") ? export_c : export_onnx;
  return {write(run, *found.checkpoint, a.fields, a.out, dtype, status_json_of(a.folder)), {}};
}

Exported as_values(const ExportArguments& a, const Found& found) {
  const TrainState& state = found.checkpoint->state;
  Run run = recorded_run(found, a.folder, flags(a, true));
  const bool of_region = names_region(a.on, run.problem);
  if (!of_region) run = recorded_run(found, a.folder, flags(a, false));
  tell(which_network(state) + "\n");
  const std::string points = a.on.empty() ? run.output.points_file
                             : of_region || a.on == "grid" || a.on == "domain" ? ""
                                                                               : a.on;
  if (!points.empty())
    tell(warnings_text(
        points_outside(run.problem, file_points(run.problem, points).x, "--on", points)));
  return of_region ? export_on(run, state, a.on, a.fields, a.out, a.threads)
                   : export_fields(run, state, points, a.out, a.threads);
}

int run_command(const ExportArguments& a) {
  const Found found = found_run(a.folder);
  for (const std::string& message : found.messages) tell(message + "\n");
  const bool is_source = std::ranges::any_of(std::array{".c", ".fmu", ".onnx"},
                                             [&](const char* end) { return a.out.ends_with(end); });
  const Exported written = is_source ? as_source(a, found) : as_values(a, found);
  for (const FoundValue& value : written.values) say(value_text(value) + "\n");
  for (const std::string& file : written.files) say("wrote " + file + "\n");
  if (!written.note.empty()) tell(written.note + "\n");
  return int(ExitCode::done);
}

}  // namespace

int pinn_export_main(int argc, char** argv) {
  CLI::App app{
      "Writes the fields of a trained run: on a grid or at points, as HDF5, XDMF, VTU or CSV."};
  ExportArguments arguments;
  declare(app, arguments);
  return guarded(app, argc, argv, [&] { return run_command(arguments); });
}
