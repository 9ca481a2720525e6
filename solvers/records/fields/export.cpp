#include "solvers/records/fields/export.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "data/files/sealed.h"
#include "data/files/table.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/pieces.h"
#include "solvers/records/fields/output.h"
#include "solvers/results/results.h"

namespace pinn {
namespace {

/// Fields never take the place of a checkpoint, nor a name under which a run looks for one.
void require_no_checkpoint(const std::string& path) {
  const std::filesystem::path file = holder_of(path);
  require_not_sealed(file.string());
  if (file.filename() == checkpoint_name || file.filename() == previous_name)
    throw ConfigError({"a checkpoint has that name", file.string(), "name another file"});
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

/// Both sides of a region, for what is asked there.
std::vector<Sides> sides_where(const Region& region, const std::string& list,
                               const Problem& problem, const std::string& label) {
  if (!problem.pieces) return {};
  const std::vector<int> asked = problem.pieces->mentioned({list, {label, 0, 0, {}}, true});
  try {
    return sides_of(region, problem, asked);
  } catch (const ConfigError& error) {
    throw ConfigError({error.reports[0].what, "--on", "name one interface(A, B)"});
  }
}

/// Fields that the problem file asks for, as --fields says it.
std::string list_of(const Run& run) {
  std::string list;
  for (const Text& one : run.output.fields) list += (list.empty() ? "" : ",") + one.value;
  return list;
}

/// Text in [begin, end) of a list, without the spaces around it.
Text part_of(const std::string& list, std::size_t begin, std::size_t end,
             const std::string& label) {
  while (begin < end && list[begin] == ' ') ++begin;
  while (begin < end && list[end - 1] == ' ') --end;
  return {list.substr(begin, end - begin), {label, 1, int(begin) + 1, list}, true};
}

}  // namespace

std::vector<NamedFormula> formulas_in(const Run& run, const std::string& fields,
                                      const Region& region, const std::string& label) {
  if (fields.empty() && !run.problem.pieces) return output_formulas(run);
  const std::string list = fields.empty() ? list_of(run) : fields;
  Run other = run;
  other.output.fields.clear();
  other.output.expressions.clear();
  const Scope scope{.problem = run.problem,
                    .has_normal = region.has_normal(),
                    .sides = sides_where(region, list, run.problem, label)};
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (i < list.size() && (c != ',' || depth != 0)) continue;
    const Text one = part_of(list, begin, i, label);
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
      throw ConfigError({fmt::format("{} would be written twice", pinn::quoted(f.name)), label,
                         "leave one of them out; coordinates are always written"});
  return formulas;
}

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

void require_unchanged(const Checkpoint& checkpoint, const Run& run, const std::string& file) {
  std::vector<Report> reports;
  for (const std::string& change :
       changes(checkpoint.record, record(run), std::int64_t(checkpoint.state.memory.size()))
           .refused)
    reports.push_back(
        {"the result is of another problem, for it changed: " + change, file, "undo the change"});
  if (!reports.empty()) throw ConfigError(reports);
}

bool names_region(const std::string& on, const Problem& problem) {
  if (on == "domain") return bool(problem.domain);
  std::error_code ignored;
  return !on.empty() && on != "grid" && !std::filesystem::is_regular_file(on, ignored) &&
         !on.ends_with(".csv") && !is_hdf5(on);
}

Exported export_on(const Run& run, const TrainState& state, const std::string& on,
                   const std::string& fields, const std::string& path, int threads) {
  require_no_checkpoint(path);
  require_grid(run);
  const Text text{on, {"--on", 0, 0, {}}, true};
  const auto region = on == "domain" ? interior(run.problem) : parse_region({text}, run.problem);
  const std::vector<NamedFormula> formulas = formulas_in(run, fields, *region, "--fields");
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
