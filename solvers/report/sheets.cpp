#include "solvers/report/sheets.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "solvers/problem/evaluate.h"
#include "solvers/state/windows.h"

namespace pinn::pages {

bool is_there(const Run& run, const Region* within, std::span<const double> x) {
  return within ? within->inside(x, 1e-9) : in_domain(run.problem, x);
}

std::vector<std::vector<double>> values_of(const Run& run,
                                           const std::vector<TrainedNetwork>& networks,
                                           const std::vector<Quantity>& quantities,
                                           const PointSet& points, ThreadPool& pool) {
  std::vector<ExpressionPtr> formulas;
  for (const Quantity& q : quantities) formulas.push_back(q.formula);
  std::vector<std::vector<double>> all = RunFormulas(run, networks, formulas)(points, pool);
  const std::size_t d = run.problem.coordinates.size();
  for (std::size_t k = 0; k < quantities.size(); ++k) {
    const Quantity& q = quantities[k];
    std::optional<Evaluator> exact;
    if (q.exact) exact.emplace(*q.exact);
    for (std::size_t n = 0; n < points.count; ++n) {
      const std::span<const double> x = std::span(points.x).subspan(n * d, d);
      if (exact) all[k][n] -= (*exact)({.coordinates = x});
      if (q.look == HeatMap::Look::size) all[k][n] = std::fabs(all[k][n]);
      if (!is_there(run, q.within.get(), x)) all[k][n] = std::nan("");
    }
  }
  return all;
}

void take_mean_out(std::vector<double>& values) {
  double sum = 0, count = 0;
  for (const double v : values)
    if (std::isfinite(v)) sum += v, ++count;
  for (double& v : values) v -= sum / std::max(count, 1.0);
}

PointSet sheet_points(const Layout& layout, const std::vector<double>& x,
                      const std::vector<double>& y, double third) {
  PointSet points;
  std::vector<double> at = layout.at;
  if (layout.third >= 0) at[std::size_t(layout.third)] = third;
  for (const double up : y)
    for (const double across : x) {
      at[std::size_t(layout.across)] = across;
      at[std::size_t(layout.up)] = up;
      points.x.insert(points.x.end(), at.begin(), at.end());
    }
  points.count = x.size() * y.size();
  return points;
}

HeatMap empty_map(const Run& run, const Layout& layout, const std::string& title,
                  HeatMap::Look look) {
  const std::vector<Coordinate>& c = run.problem.coordinates;
  const std::string fixed = fixed_text(run, layout);
  return {.title = title + (fixed.empty() ? "" : ", at " + fixed),
          .x_name = axis_name(c[std::size_t(layout.across)]),
          .y_name = axis_name(c[std::size_t(layout.up)]),
          .third = layout.third >= 0 ? axis_name(c[std::size_t(layout.third)]) : "",
          .x = {},
          .y = {},
          .thirds = {},
          .values = {},
          .look = look,
          .to_scale = layout.to_scale};
}

Chart curve_over(const Coordinate& c, const Quantity& q, const std::vector<double>& x,
                 const std::vector<double>& values) {
  return {.title = q.title,
          .x_name = axis_name(c),
          .curves = {{q.title, x, {}, values}},
          .marks = {},
          .logarithmic = q.look == HeatMap::Look::size};
}

}  // namespace pinn::pages
