// Errors against a reference out of a file, at its own nodes.
#include <algorithm>
#include <cmath>
#include <map>

#include "solvers/report/sheets.h"

namespace pinn::pages {
namespace {

/// The positions that a file's points have along a coordinate, ascending.
std::vector<double> axis_of(const Solution& solution, std::size_t coordinates, int along) {
  std::vector<double> all;
  for (std::size_t n = 0; n < solution.count; ++n)
    all.push_back(solution.x[n * coordinates + std::size_t(along)]);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// The nodes of a file's solution that pictures show, along each axis of the layout.
struct Nodes {
  std::vector<double> x, y, z;
};

}  // namespace

std::vector<HeatMap> errors_in_file(const Run& run, const std::vector<TrainedNetwork>& networks,
                                    const Layout& layout, ThreadPool& pool, Views& views) {
  const Solution& solution = *run.reference.solution;
  const std::size_t d = run.problem.coordinates.size();
  std::map<std::vector<double>, std::size_t> rows;
  for (std::size_t n = 0; n < solution.count; ++n)
    rows[{solution.x.begin() + long(n * d), solution.x.begin() + long(n * d + d)}] = n;
  Layout near = layout;  // others at the nodes next to where the layout has them
  double all = 1;
  for (std::size_t c = 0; c < d; ++c) {
    const std::vector<double> axis = axis_of(solution, d, int(c));
    all *= double(axis.size());
    near.at[c] = *std::ranges::min_element(axis, {},
                                           [&](double at) { return std::fabs(at - layout.at[c]); });
  }
  if (all > 4 * double(solution.count)) {
    views.notes.emplace_back("the reference's points fill no grid, so there are no maps of errors");
    return {};
  }
  const std::size_t nodes = layout.third >= 0 ? nodes_of_many : nodes_alone;
  const std::vector<double> x = some_of(axis_of(solution, d, layout.across), nodes);
  const std::vector<double> y = some_of(axis_of(solution, d, layout.up), nodes);
  std::vector<double> z{0};
  if (layout.third >= 0) z = some_of(axis_of(solution, d, layout.third), thirds);
  if (x.size() < 2 || y.size() < 2) return {};
  std::vector<Quantity> quantities;
  std::vector<HeatMap> maps;
  for (const ReferenceQuantity& q : run.reference.quantities) {
    quantities.push_back({"error of " + q.name, q.expression, nullptr, nullptr});
    maps.push_back(empty_map(run, near, quantities.back().title, HeatMap::Look::difference));
    maps.back().x = x;
    maps.back().y = y;
    if (layout.third >= 0) maps.back().thirds = z;
  }
  for (const double third : z) {
    const PointSet points = sheet_points(near, x, y, third);
    auto values = values_of(run, networks, quantities, points, pool);
    for (std::size_t k = 0; k < maps.size(); ++k) {
      for (std::size_t n = 0; n < points.count; ++n) {
        const auto at =
            rows.find({points.x.begin() + long(n * d), points.x.begin() + long(n * d + d)});
        values[k][n] -= at == rows.end() ? std::nan("") : solution.values[k][at->second];
      }
      if (!run.reference.gauge.empty()) take_mean_out(values[k]);
      maps[k].values.push_back(std::move(values[k]));
    }
  }
  return maps;
}

}  // namespace pinn::pages
