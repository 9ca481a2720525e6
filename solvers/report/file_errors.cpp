// Errors against a reference out of a file, at its own nodes.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_set>

#include "solvers/report/sheets.h"

namespace pinn::pages {
namespace {

/// The positions that a file's points have along each coordinate, ascending; nothing where they
/// fill no grid, which a look at some of them may tell.
std::optional<std::vector<std::vector<double>>> axes_of(const Solution& solution, std::size_t d) {
  std::vector<std::unordered_set<double>> seen(d);
  for (std::size_t n = 0; n < solution.count; ++n)
    for (std::size_t c = 0; c < d; ++c)
      if (seen[c].insert(solution.x[n * d + c]).second) {
        double nodes = 1;
        for (const auto& positions : seen) nodes *= double(positions.size());
        if (nodes > 4 * double(solution.count)) return std::nullopt;
      }
  std::vector<std::vector<double>> axes;
  for (const auto& positions : seen) {
    axes.emplace_back(positions.begin(), positions.end());
    std::ranges::sort(axes.back());
  }
  return axes;
}

using Rows = std::map<std::vector<double>, std::size_t>;

/// The rows of the points that lie at these positions of every coordinate.
Rows rows_at(const Solution& solution, const std::vector<std::vector<double>>& positions) {
  const std::size_t d = positions.size();
  std::vector<std::unordered_set<double>> at;
  for (const auto& along : positions) at.emplace_back(along.begin(), along.end());
  Rows rows;
  for (std::size_t n = 0; n < solution.count; ++n) {
    const double* point = &solution.x[n * d];
    std::size_t c = 0;
    while (c < d && at[c].contains(point[c])) ++c;
    if (c == d) rows[{point, point + d}] = n;
  }
  return rows;
}

std::vector<Quantity> fields_of(const Run& run) {
  std::vector<Quantity> all;
  for (const ReferenceQuantity& q : run.reference.quantities)
    all.push_back({"error of " + q.name, q.expression, nullptr, nullptr});
  return all;
}

/// These less what the file has at the same points; NaN where it has none of them.
std::vector<std::vector<double>> errors_at(const Run& run,
                                           const std::vector<TrainedNetwork>& networks,
                                           const std::vector<Quantity>& fields, const Rows& rows,
                                           const PointSet& points, ThreadPool& pool) {
  const std::size_t d = run.problem.coordinates.size();
  auto values = values_of(run, networks, fields, points, pool);
  for (std::size_t k = 0; k < fields.size(); ++k) {
    for (std::size_t n = 0; n < points.count; ++n) {
      const auto at =
          rows.find({points.x.begin() + long(n * d), points.x.begin() + long(n * d + d)});
      values[k][n] -=
          at == rows.end() ? std::nan("") : run.reference.solution->values[k][at->second];
    }
    if (!run.reference.gauge.empty()) take_mean_out(values[k]);
  }
  return values;
}

}  // namespace

std::vector<Chart> error_curves_in_file(const Run& run, const std::vector<TrainedNetwork>& networks,
                                        ThreadPool& pool) {
  const std::vector<double> x = some_of((*axes_of(*run.reference.solution, 1))[0], nodes_of_curve);
  const std::vector<Quantity> fields = fields_of(run);
  const auto values = errors_at(run, networks, fields, rows_at(*run.reference.solution, {x}),
                                {x.size(), x, {}, {}, {}}, pool);
  std::vector<Chart> charts;
  for (std::size_t k = 0; k < fields.size(); ++k)
    charts.push_back(curve_over(run.problem.coordinates[0], fields[k], x, values[k]));
  return charts;
}

std::vector<HeatMap> errors_in_file(const Run& run, const std::vector<TrainedNetwork>& networks,
                                    const Layout& layout, ThreadPool& pool, Views& views) {
  const Solution& solution = *run.reference.solution;
  const std::size_t d = run.problem.coordinates.size();
  const auto axes = axes_of(solution, d);
  if (!axes) {
    views.notes.emplace_back("the reference's points fill no grid, so there are no maps of errors");
    return {};
  }
  Layout near = layout;  // others at the nodes next to where the layout has them
  std::vector<std::vector<double>> shown;
  for (std::size_t c = 0; c < d; ++c) {
    near.at[c] = *std::ranges::min_element((*axes)[c], {},
                                           [&](double at) { return std::fabs(at - layout.at[c]); });
    shown.push_back({near.at[c]});
  }
  const auto show = [&](int along, std::size_t most) {
    return shown[std::size_t(along)] = some_of((*axes)[std::size_t(along)], most);
  };
  const std::size_t nodes = layout.third >= 0 ? nodes_of_many : nodes_alone;
  const std::vector<double> x = show(layout.across, nodes), y = show(layout.up, nodes);
  const std::vector<double> z = layout.third >= 0 ? show(layout.third, thirds) : std::vector{0.0};
  if (x.size() < 2 || y.size() < 2) return {};
  const Rows rows = rows_at(solution, shown);
  const std::vector<Quantity> fields = fields_of(run);
  std::vector<HeatMap> maps;
  for (const Quantity& field : fields) {
    maps.push_back(empty_map(run, near, field.title, HeatMap::Look::difference));
    maps.back().x = x;
    maps.back().y = y;
    if (layout.third >= 0) maps.back().thirds = z;
  }
  for (const double third : z) {
    auto values = errors_at(run, networks, fields, rows, sheet_points(near, x, y, third), pool);
    for (std::size_t k = 0; k < maps.size(); ++k) maps[k].values.push_back(std::move(values[k]));
  }
  return maps;
}

}  // namespace pinn::pages
