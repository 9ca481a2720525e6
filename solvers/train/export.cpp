#include "solvers/train/export.h"

#include <filesystem>

#include "data/files/sealed.h"
#include "solvers/train/output.h"
#include "solvers/train/point_sets.h"
#include "solvers/train/summary.h"

namespace pinn {

namespace {

/// Fields never take the place of a checkpoint, nor a name under which a run looks for one.
void require_no_checkpoint(const std::string& path) {
  const std::filesystem::path h5 = std::filesystem::path(path).replace_extension(".h5");
  if (path.ends_with(".csv") || path.ends_with(".vtu")) return require_not_sealed(path);
  require_not_sealed(h5.string());
  if (h5.filename() == checkpoint_name || h5.filename() == previous_name)
    throw ConfigError({"a checkpoint has that name", h5.string(), "name another file"});
}

}  // namespace

void require_unchanged(const Checkpoint& checkpoint, const Run& run, const std::string& file) {
  std::vector<Report> reports;
  for (const std::string& change :
       changes(checkpoint.record, record(run), std::int64_t(checkpoint.state.memory.size()))
           .refused)
    reports.push_back(
        {"the result is of another problem, for it changed: " + change, file, "undo the change"});
  if (!reports.empty()) throw ConfigError(reports);
}

Written export_fields(const Run& run, const TrainState& state, const std::string& points_file,
                      const std::string& path, int threads) {
  require_no_checkpoint(path);
  if (points_file.empty() && run.output.grid.empty())
    throw ConfigError({"the problem file names points and no grid", run.path,
                       "name the grid, as in --grid x=401,t=11"});
  ThreadPool pool(threads > 0 ? threads : available_threads());
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.network);
  std::vector<double> p = state.best.parameters;
  if (p.empty()) p = state.parameters.values();
  if (p.size() != model->parameter_count())
    throw ConfigError({"the checkpoint has " + std::to_string(p.size()) +
                           " parameters, the network " + std::to_string(model->parameter_count()),
                       path, "leave [network] as it was trained"});
  const std::vector<NamedFormula> formulas = output_formulas(run);
  const Fields fields =
      points_file.empty()
          ? fields_on_grid(run, model, p, formulas, pool)
          : fields_at_points(run, model, p, formulas, file_points(run.problem, points_file), pool);
  return write_fields(path, fields, provenance(record(run), which_network(state.best, state.step)));
}

}  // namespace pinn
