#include "solvers/train/export.h"

#include "solvers/train/summary.h"

#include "solvers/train/output.h"
#include "solvers/train/point_sets.h"

namespace pinn {

Written export_fields(const Run& run, const TrainState& state, const std::string& points_file,
                      const std::string& path, int threads) {
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
