#include "solvers/trust/samples.h"

#include <algorithm>
#include <map>

#include "solvers/points/point_sets.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/pieces.h"
#include "solvers/residual/step/formulas.h"

namespace pinn {
namespace {

/// Points that agree, so many at a time, in all coordinates that what is open may depend on.
void align(std::vector<double>& x, const Problem& problem, const std::vector<GaugeMode>& modes) {
  constexpr std::size_t together = 50;
  const std::size_t d = problem.coordinates.size();
  for (std::size_t i = 0; i * d < x.size(); ++i) {
    std::vector<double> moved(x.begin() + std::ptrdiff_t(i * d),
                              x.begin() + std::ptrdiff_t((i + 1) * d));
    const std::size_t first = i - i % together;
    for (const GaugeMode& mode : modes)
      for (const int c : mode.coordinates) moved[std::size_t(c)] = x[first * d + std::size_t(c)];
    if (in_domain(problem, moved)) std::ranges::copy(moved, x.begin() + std::ptrdiff_t(i * d));
  }
}

/// Numbers points of a field that agree in the coordinates of a mode.
void add_groups(const GaugeMode& mode, const Problem& problem, const PointSet& points,
                std::vector<std::size_t>& groups) {
  const std::string& whole = problem.fields[std::size_t(mode.field)].piece_of;
  const std::size_t d = problem.coordinates.size();
  groups.resize(points.count, Samples::no_group);
  std::map<std::vector<double>, std::size_t> numbers;
  for (std::size_t i = 0; i < points.count; ++i) {
    const std::span<const double> x = std::span(points.x).subspan(i * d, d);
    if (!whole.empty() && field_at(problem, whole, x) != mode.field) continue;
    std::vector<double> key;
    for (const int c : mode.coordinates) key.push_back(x[std::size_t(c)]);
    groups[i] = numbers.emplace(key, i).first->second;
  }
}

}  // namespace

std::vector<std::vector<double>> whole_values(const Problem& problem, const PointSet& points,
                                              const std::vector<std::vector<double>>& all) {
  const std::size_t d = problem.coordinates.size();
  std::vector<std::vector<double>> wholes;
  for (const std::string& whole : whole_fields(problem)) {
    std::vector<double>& values = wholes.emplace_back();
    for (std::size_t i = 0; i < points.count; ++i) {
      const std::span<const double> x = std::span(points.x).subspan(i * d, d);
      values.push_back(all[std::size_t(field_at(problem, whole, x))][i]);
    }
  }
  return wholes;
}

std::vector<GaugeMode> open_modes(const Problem& problem) {
  for (const Requirement& r : problem.requirements)
    if (r.handed > 0) return {};
  for (const ExpressionPtr& output : problem.outputs)
    if (output && contains(*output, Expression::Kind::before)) return {};
  return gauge_modes(problem);
}

Samples samples_of(const TrainedWindow& window, const std::vector<GaugeMode>& modes, int count,
                   ThreadPool& pool) {
  const Problem& problem = window.run->problem;
  Points drawn = draw_points(*interior(problem), {.count = count}, window.run->options.seed,
                             stream("fields", "estimate"), 0);
  if (!modes.empty()) align(drawn.x, problem, modes);
  Samples samples{{drawn.count, std::move(drawn.x), {}, {}, {}}, {}, {}};
  std::vector<ExpressionPtr> fields;
  for (std::size_t f = 0; f < problem.fields.size(); ++f)
    fields.push_back(make_leaf(Expression::Kind::field, int(f)));
  samples.fields = whole_values(
      problem, samples.points,
      Formulas(window.network.model, fields)(window.network.parameters, samples.points, pool));
  const std::vector<std::string> wholes = whole_fields(problem);
  samples.groups.resize(wholes.size());
  for (const GaugeMode& mode : modes) {
    const Field& field = problem.fields[std::size_t(mode.field)];
    const auto at = std::ranges::find(wholes, field.piece_of.empty() ? field.name : field.piece_of);
    add_groups(mode, problem, samples.points, samples.groups[std::size_t(at - wholes.begin())]);
  }
  return samples;
}

std::vector<double> Samples::closed(std::size_t field, std::vector<double> values) const {
  const std::vector<std::size_t>& group = groups[field];
  if (group.empty()) return values;
  std::vector<double> sums(values.size(), 0), counts(values.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (group[i] == no_group) continue;
    sums[group[i]] += values[i];
    ++counts[group[i]];
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (group[i] != no_group) values[i] -= sums[group[i]] / counts[group[i]];
  return values;
}

}  // namespace pinn
