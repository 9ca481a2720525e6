#include "solvers/report/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "solvers/points/point_sets.h"
#include "solvers/problem/integrals.h"
#include "solvers/report/sheets.h"

namespace pinn::pages {
namespace {

constexpr std::size_t moments = 5, most_maps = 24;
constexpr std::size_t many_maps = 6, few_thirds = 7;  // so that a page stays light

std::vector<Quantity> quantities_of(const Run& run) {
  std::vector<Quantity> all;
  for (std::size_t k = 0; k < run.output.expressions.size(); ++k)
    if (run.output.expressions[k])
      all.push_back({run.output.fields[k].value, run.output.expressions[k], nullptr, nullptr});
  for (const ReferenceQuantity& q : run.reference.quantities)
    if (q.exact)
      all.push_back({fmt::format("error of {}", q.name), q.expression, q.exact, nullptr,
                     HeatMap::Look::difference});
  for (const Requirement& r : run.problem.requirements)
    if (r.kind == Requirement::Kind::equation && !is_integral(r) && !r.places)
      for (const Residual& residual : r.residuals)
        all.push_back({fmt::format("size of the residual of {}", residual.name),
                       residual.expression, nullptr, r.on.empty() ? nullptr : r.region,
                       HeatMap::Look::size});
  return all;
}

using Mask = std::shared_ptr<const std::vector<std::vector<bool>>>;

/// The pixels of a map that lie in a region, or in the domain; null where all do.
Mask mask_of(const Run& run, const Layout& layout, const Region* within, const HeatMap& map) {
  if (!within && !run.problem.domain) return nullptr;
  const std::vector<double> x = pixel_centers(map.x);
  std::vector<double> y = pixel_centers(map.y);
  std::ranges::reverse(y);  // from above to below
  auto mask = std::make_shared<std::vector<std::vector<bool>>>();
  const std::size_t d = layout.at.size();
  for (std::size_t k = 0; k < map.values.size(); ++k) {
    const PointSet points = sheet_points(layout, x, y, map.thirds.empty() ? 0 : map.thirds[k]);
    std::vector<bool>& there = mask->emplace_back();
    for (std::size_t n = 0; n < points.count; ++n)
      there.push_back(is_there(run, within, std::span(points.x).subspan(n * d, d)));
  }
  return mask;
}

/// Those of all maps; of one region it is one.
void set_masks(const Run& run, const Layout& layout, const std::vector<Quantity>& quantities,
               std::vector<HeatMap>& maps) {
  std::map<const Region*, Mask> known;
  for (std::size_t k = 0; k < maps.size(); ++k) {
    const Region* within = quantities[k].within.get();
    if (known.count(within) == 0) known[within] = mask_of(run, layout, within, maps[k]);
    maps[k].mask = known[within];
  }
}

std::vector<HeatMap> maps_of(const Run& run, const std::vector<TrainedNetwork>& networks,
                             const Layout& layout, const std::vector<Quantity>& quantities,
                             ThreadPool& pool) {
  const std::vector<Coordinate>& c = run.problem.coordinates;
  const std::size_t nodes = layout.third >= 0 ? nodes_of_many : nodes_alone;
  const std::vector<double> x = positions(c[std::size_t(layout.across)], nodes);
  const std::vector<double> y = positions(c[std::size_t(layout.up)], nodes);
  const std::size_t places = quantities.size() > many_maps ? few_thirds : thirds;
  const std::vector<double> z =
      layout.third >= 0 ? positions(c[std::size_t(layout.third)], places) : std::vector<double>{0};
  std::vector<HeatMap> maps;
  for (const Quantity& q : quantities) {
    maps.push_back(empty_map(run, layout, q.title, q.look));
    maps.back().x = x;
    maps.back().y = y;
    if (layout.third >= 0) maps.back().thirds = z;
  }
  for (const double third : z) {
    auto values = values_of(run, networks, quantities, sheet_points(layout, x, y, third), pool);
    for (std::size_t k = 0; k < maps.size(); ++k) {
      if (quantities[k].exact && !run.reference.gauge.empty()) take_mean_out(values[k]);
      maps[k].values.push_back(std::move(values[k]));
    }
  }
  set_masks(run, layout, quantities, maps);
  return maps;
}

/// Curves over the one coordinate.
std::vector<Chart> curves_of(const Run& run, const std::vector<TrainedNetwork>& networks,
                             const std::vector<Quantity>& quantities, ThreadPool& pool) {
  const Coordinate& c = run.problem.coordinates[0];
  PointSet points;
  points.x = positions(c, nodes_of_curve);
  points.count = points.x.size();
  const auto values = values_of(run, networks, quantities, points, pool);
  std::vector<Chart> charts;
  for (std::size_t k = 0; k < quantities.size(); ++k)
    charts.push_back(curve_over(c, quantities[k], points.x, values[k]));
  return charts;
}

/// A map over time cut at several moments.
Chart moments_of(const HeatMap& map, const std::string& time) {
  Chart chart{.title = map.title + " at " + std::to_string(moments) + " times",
              .x_name = map.y_name,
              .curves = {},
              .marks = {},
              .logarithmic = false};
  for (std::size_t k = 0; k < moments; ++k) {
    const std::size_t column = k * (map.x.size() - 1) / (moments - 1);
    Curve curve{time + " = " + number_text(map.x[column], 3), map.y, {}, {}};
    for (std::size_t r = 0; r < map.y.size(); ++r)
      curve.values.push_back(map.values[0][r * map.x.size() + column]);
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

}  // namespace

Views views_of(const Run& run, const std::vector<TrainedNetwork>& networks, ThreadPool& pool) {
  Views views;
  const Layout layout = layout_of(run);
  std::vector<Quantity> quantities = quantities_of(run);
  if (quantities.size() > most_maps) {
    views.notes.push_back(fmt::format("{} of {} fields, errors and residuals are shown", most_maps,
                                      quantities.size()));
    quantities.resize(most_maps);
  }
  if (quantities.empty()) return views;
  const bool has_file = run.reference.solution && run.reference.solution->count > 0;
  if (layout.up < 0) {
    views.charts = curves_of(run, networks, quantities, pool);
    if (has_file)
      for (Chart& chart : error_curves_in_file(run, networks, pool))
        views.charts.push_back(std::move(chart));
    return views;
  }
  views.maps = maps_of(run, networks, layout, quantities, pool);
  if (has_file)
    for (HeatMap& map : errors_in_file(run, networks, layout, pool, views))
      views.maps.push_back(std::move(map));
  const Coordinate& across = run.problem.coordinates[std::size_t(layout.across)];
  if (across.role == Role::time && layout.third < 0)
    for (const HeatMap& map : views.maps)
      if (map.look == HeatMap::Look::value) views.charts.push_back(moments_of(map, across.name));
  return views;
}

}  // namespace pinn::pages
