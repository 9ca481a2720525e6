#include "solvers/train/output.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "data/files/sealed.h"
#include "solvers/problem/parse.h"
#include "solvers/train/plan.h"
#include "solvers/train/point_sets.h"
#include "solvers/train/summary.h"
#include "solvers/train/train.h"
#include "solvers/train/values.h"

namespace pinn {
namespace {

std::vector<Axis> axes_of(const Problem& problem) {
  std::vector<Axis> axes;
  for (const Coordinate& c : problem.coordinates)
    axes.push_back({c.name, c.unit, c.role == Role::time, {}});
  return axes;
}

constexpr std::size_t points_at_a_time = std::size_t(1) << 16;

RunFormulas formulas_of(const Run& run, const std::vector<TrainedNetwork>& networks,
                        const std::vector<NamedFormula>& formulas,
                        const std::shared_ptr<StepCache>& cache) {
  std::vector<ExpressionPtr> expressions;
  for (const NamedFormula& f : formulas) expressions.push_back(f.expression);
  return {run, networks, std::move(expressions), cache};
}

void add_values(Fields& fields, const std::vector<NamedFormula>& formulas,
                std::vector<std::vector<double>> values) {
  for (std::size_t k = 0; k < formulas.size(); ++k)
    fields.fields.push_back({formulas[k].name, formulas[k].unit, "", std::move(values[k])});
}

/// Outside of the domain there are no fields.
void leave_out(const Problem& problem, const PointSet& points,
               std::vector<std::vector<double>>& values) {
  const std::size_t d = problem.coordinates.size();
  for (std::size_t n = 0; problem.domain && n < points.count; ++n)
    if (!in_domain(problem, std::span(points.x).subspan(n * d, d)))
      for (std::vector<double>& of : values) of[n] = std::nan("");
}

/// On every point of a grid, of which only some exist at any time: a large one would take more
/// memory than the values.
std::vector<std::vector<double>> values_on_grid(const Problem& problem, RunFormulas formulas,
                                                std::size_t count,
                                                const std::vector<std::vector<double>>& axes,
                                                ThreadPool& pool) {
  std::size_t total = 1;
  for (const std::vector<double>& axis : axes) total *= axis.size();
  std::vector<std::vector<double>> all(count);
  for (std::vector<double>& values : all) values.reserve(total);
  for (std::size_t begin = 0; begin < total; begin += points_at_a_time) {
    const PointSet points = grid_points(axes, begin, begin + points_at_a_time);
    auto some = formulas(points, pool);
    leave_out(problem, points, some);
    for (std::size_t k = 0; k < count; ++k)
      all[k].insert(all[k].end(), some[k].begin(), some[k].end());
  }
  return all;
}

}  // namespace

std::vector<NamedFormula> output_formulas(const Run& run) {
  std::vector<NamedFormula> formulas;
  for (std::size_t k = 0; k < run.output.expressions.size(); ++k) {
    const ExpressionPtr& e = run.output.expressions[k];
    if (e) {
      const bool is_field = e->kind == Expression::Kind::field;
      formulas.push_back({run.output.fields[k].value,
                          is_field ? run.problem.fields[std::size_t(e->index)].unit : "", e});
      continue;
    }
    for (const Requirement& r : run.problem.requirements)
      if (r.kind == Requirement::Kind::equation)
        for (const Residual& residual : r.residuals)
          formulas.push_back({"residual_" + residual.name, "", residual.expression});
  }
  return formulas;
}

Fields fields_on_grid(const Run& run, const std::vector<TrainedNetwork>& networks,
                      const std::vector<NamedFormula>& formulas, ThreadPool& pool,
                      std::shared_ptr<StepCache> cache) {
  const std::vector<std::vector<double>> axes = grid_axes(run.problem, run.output.grid);
  Fields fields{.grid = true, .axes = axes_of(run.problem), .fields = {}};
  for (std::size_t i = 0; i < fields.axes.size(); ++i) fields.axes[i].values = axes[i];
  add_values(fields, formulas,
             values_on_grid(run.problem, formulas_of(run, networks, formulas, cache),
                            formulas.size(), axes, pool));
  return fields;
}

Fields fields_at_points(const Run& run, const std::vector<TrainedNetwork>& networks,
                        const std::vector<NamedFormula>& formulas, const PointSet& points,
                        ThreadPool& pool, std::shared_ptr<StepCache> cache) {
  Fields fields{.grid = false, .axes = axes_of(run.problem), .fields = {}};
  const std::size_t d = fields.axes.size();
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t n = 0; n < points.count; ++n)
      fields.axes[i].values.push_back(points.x[n * d + i]);
  auto values = formulas_of(run, networks, formulas, cache)(points, pool);
  leave_out(run.problem, points, values);
  add_values(fields, formulas, std::move(values));
  return fields;
}

std::vector<NamedPoints> training_points(const Run& run, const std::vector<Draw>& draws) {
  std::vector<NamedPoints> all;
  for (std::size_t r = 0; r < draws.size(); ++r) {
    PointSet points = points_in_use(run, r, draws[r]);
    all.push_back(
        {run.problem.requirements[r].name, std::move(points.x), std::move(points.weights)});
  }
  return all;
}

Fields output_fields(const Run& run, const std::vector<TrainedNetwork>& networks, ThreadPool& pool,
                     std::shared_ptr<StepCache> cache) {
  const std::vector<NamedFormula> formulas = output_formulas(run);
  if (run.output.points_file.empty())
    return fields_on_grid(run, networks, formulas, pool, std::move(cache));
  return fields_at_points(run, networks, formulas, file_points(run.problem, run.output.points_file),
                          pool, std::move(cache));
}

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

std::vector<NamedNumber> named_values(const std::vector<FoundValue>& values) {
  std::vector<NamedNumber> all;
  for (const FoundValue& v : values) all.push_back({v.name, v.value, v.quadrature, v.error});
  return all;
}

Fields fields_on_mesh(const Run& run, const std::vector<TrainedNetwork>& networks,
                      const std::vector<NamedFormula>& formulas,
                      const std::vector<RegionMesh>& meshes, ThreadPool& pool) {
  Fields fields{.grid = false, .axes = axes_of(run.problem), .fields = {}};
  const std::size_t d = fields.axes.size();
  Cells& cells = fields.cells.emplace();
  RunFormulas all = formulas_of(run, networks, formulas, {});
  std::vector<std::vector<double>> values(formulas.size());
  for (const RegionMesh& mesh : meshes) {
    cells.corners = mesh.corners;
    cells.moments.push_back({mesh.time, mesh.points.count, mesh.cells.size() / mesh.corners});
    cells.points.insert(cells.points.end(), mesh.cells.begin(), mesh.cells.end());
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t n = 0; n < mesh.points.count; ++n)
        fields.axes[i].values.push_back(mesh.points.x[n * d + i]);
    const auto some = all(mesh.points, pool);
    for (std::size_t k = 0; k < some.size(); ++k)
      values[k].insert(values[k].end(), some[k].begin(), some[k].end());
  }
  add_values(fields, formulas, std::move(values));
  return fields;
}

namespace {

/// The networks of a state, of all windows that it has.
std::vector<TrainedNetwork> networks_of(const Run& run, const TrainState& state, ThreadPool& pool,
                                        const std::string& path) {
  std::vector<double> p = state.best.parameters;
  if (p.empty()) p = state.parameters.values();
  Windows windows(run, pool);
  if (p.size() != windows.model()->parameter_count())
    throw ConfigError({"the checkpoint has " + std::to_string(p.size()) +
                           " parameters, the network " +
                           std::to_string(windows.model()->parameter_count()),
                       path, "leave [network] as it was trained"});
  if (state.finished.size() >= windows.count())
    throw ConfigError({fmt::format("the checkpoint has {} windows that are done, of {}",
                                   state.finished.size(), windows.count()),
                       path, "leave [windows] as it was trained"});
  for (const FinishedWindow& window : state.finished) windows.finish(window.best.parameters);
  return windows.networks(p);
}

void require_grid(const Run& run) {
  if (run.output.grid.empty())
    throw ConfigError({"the problem file names points and no grid", run.path,
                       "name the grid, as in --grid x=401,t=11"});
}

Exported exported(const Run& run, const TrainState& state, Fields fields,
                  const std::vector<TrainedNetwork>& networks, ThreadPool& pool,
                  const std::string& path) {
  const std::vector<FoundValue> values = ValueMeter(run, result_nodes)(networks, pool);
  fields.values = named_values(values);
  return {write_fields(path, fields, provenance(record(run), which_network(state))), values};
}

/// The formulas between commas; a comma in parentheses stands in one.
std::vector<NamedFormula> formulas_in(const Run& run, const std::string& list, bool has_normal) {
  if (list.empty()) return output_formulas(run);
  Run other = run;
  other.output.fields.clear();
  other.output.expressions.clear();
  const Scope scope{.problem = run.problem, .has_normal = has_normal};
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size()) depth += (list[i] == '(') - (list[i] == ')');
    if (i < list.size() && (list[i] != ',' || depth != 0)) continue;
    const Text one{list.substr(begin, i - begin), {"--fields", 0, 0, {}}, true};
    Warnings none;
    other.output.fields.push_back(one);
    other.output.expressions.push_back(
        one.value == "residual" ? nullptr : parse_expression(one, scope, none));
    begin = i + 1;
  }
  std::vector<NamedFormula> formulas = output_formulas(other);
  std::set<std::string> taken;
  for (const Coordinate& c : run.problem.coordinates) taken.insert(c.name);
  for (const NamedFormula& f : formulas)
    if (!taken.insert(f.name).second)
      throw ConfigError({fmt::format("{} would be written twice", pinn::quoted(f.name)), "--fields",
                         "leave one of them out; coordinates are always written"});
  return formulas;
}

}  // namespace

bool names_region(const std::string& on, const Problem& problem) {
  if (on == "domain") return bool(problem.domain);
  std::error_code ignored;
  return !on.empty() && on != "grid" && !std::filesystem::is_regular_file(on, ignored) &&
         !on.ends_with(".csv") && !on.ends_with(".h5");
}

Exported export_on(const Run& run, const TrainState& state, const std::string& on,
                   const std::string& fields, const std::string& path, int threads) {
  require_no_checkpoint(path);
  require_grid(run);
  const Text text{on, {"--on", 0, 0, {}}, true};
  const auto region = on == "domain" ? interior(run.problem) : parse_region({text}, run.problem);
  const std::vector<NamedFormula> formulas = formulas_in(run, fields, region->has_normal());
  ThreadPool pool(threads > 0 ? threads : available_threads());
  const std::vector<TrainedNetwork> networks = networks_of(run, state, pool, path);
  return exported(run, state,
                  fields_on_mesh(run, networks, formulas,
                                 region_meshes(run.problem, *region, run.output.grid), pool),
                  networks, pool, path);
}

Exported export_fields(const Run& run, const TrainState& state, const std::string& points_file,
                       const std::string& path, int threads) {
  require_no_checkpoint(path);
  if (points_file.empty()) require_grid(run);
  ThreadPool pool(threads > 0 ? threads : available_threads());
  const std::vector<TrainedNetwork> networks = networks_of(run, state, pool, path);
  const std::vector<NamedFormula> formulas = output_formulas(run);
  return exported(
      run, state,
      points_file.empty()
          ? fields_on_grid(run, networks, formulas, pool)
          : fields_at_points(run, networks, formulas, file_points(run.problem, points_file), pool),
      networks, pool, path);
}

}  // namespace pinn
