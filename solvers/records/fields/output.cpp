#include "solvers/records/fields/output.h"

#include <cmath>

#include "solvers/points/point_sets.h"
#include "solvers/problem/integrals.h"
#include "solvers/results/results.h"
#include "solvers/results/values.h"

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
      if (r.kind == Requirement::Kind::equation && !is_integral(r))
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

}  // namespace pinn
