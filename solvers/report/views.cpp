#include "solvers/report/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "solvers/problem/evaluate.h"
#include "solvers/problem/integrals.h"
#include "solvers/report/layout.h"
#include "solvers/train/output.h"
#include "solvers/train/point_sets.h"
#include "solvers/train/run/windows.h"

namespace pinn::pages {
namespace {

constexpr std::size_t nodes_alone = 121, nodes_of_many = 61, thirds = 11, nodes_of_curve = 401;
constexpr std::size_t many_maps = 6, few_thirds = 7;  // so that a page stays light
constexpr std::size_t most_maps = 24, moments = 5, most_dots = 1500;

/// Something to look at: a formula of the fields, less what is known of it.
struct Quantity {
  std::string title;
  ExpressionPtr formula, exact;          ///< exact: null where there is none
  std::shared_ptr<const Region> within;  ///< null: everywhere
  HeatMap::Look look = HeatMap::Look::value;
};

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

bool is_there(const Run& run, const Region* within, std::span<const double> x) {
  return within ? within->inside(x, 1e-9) : in_domain(run.problem, x);
}

/// Values of the quantities at points; NaN where there is nothing to see.
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

/// A field is known up to its mean where there is a gauge.
void take_mean_out(std::vector<double>& values) {
  double sum = 0, count = 0;
  for (const double v : values)
    if (std::isfinite(v)) sum += v, ++count;
  for (double& v : values) v -= sum / std::max(count, 1.0);
}

/// Points of a map at one place of the third coordinate: [up, across].
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
    charts.push_back({.title = quantities[k].title,
                      .x_name = axis_name(c),
                      .curves = {{quantities[k].title, points.x, {}, values[k]}},
                      .marks = {},
                      .logarithmic = quantities[k].look == HeatMap::Look::size});
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

/// The positions that a file's points have along a coordinate, ascending.
std::vector<double> axis_of(const Solution& solution, std::size_t coordinates, int along) {
  std::vector<double> all;
  for (std::size_t n = 0; n < solution.count; ++n)
    all.push_back(solution.x[n * coordinates + std::size_t(along)]);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// So many of them, the ends among them.
std::vector<double> some_of(const std::vector<double>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<double> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(all[k * (all.size() - 1) / (most - 1)]);
  return some;
}

/// The nodes of a file's solution that pictures show, along each axis of the layout.
struct Nodes {
  std::vector<double> x, y, z;
};

/// Errors at the nodes of a file's grid, along the axes that the layout shows.
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
    views.notes.push_back("the reference's points fill no grid, so there are no maps of errors");
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

/// Which of many points are drawn: an even share, and no pattern of any sequence.
bool is_one_of_some(std::size_t point, std::size_t count) {
  constexpr double golden = 0.6180339887498949;
  const double turns = golden * double(point);
  return (turns - std::floor(turns)) * double(count) <= double(most_dots);
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
  if (layout.up < 0) {
    views.charts = curves_of(run, networks, quantities, pool);
    return views;
  }
  views.maps = maps_of(run, networks, layout, quantities, pool);
  if (run.reference.solution && run.reference.solution->count > 0)
    for (HeatMap& map : errors_in_file(run, networks, layout, pool, views))
      views.maps.push_back(std::move(map));
  const Coordinate& across = run.problem.coordinates[std::size_t(layout.across)];
  if (across.role == Role::time && layout.third < 0)
    for (const HeatMap& map : views.maps)
      if (map.look == HeatMap::Look::value) views.charts.push_back(moments_of(map, across.name));
  return views;
}

Drawing points_view(const Run& run, const std::vector<Draw>& draws) {
  const Layout layout = layout_of(run);
  const std::vector<Coordinate>& c = run.problem.coordinates;
  const Coordinate& across = c[std::size_t(layout.across)];
  const Coordinate* up = layout.up < 0 ? nullptr : &c[std::size_t(layout.up)];
  Frame plot{58, 10, 404, up ? 290.0 : 40.0};
  if (layout.to_scale) {
    const double shape = (up->upper - up->lower) / (across.upper - across.lower);
    plot.height = std::clamp(plot.width * shape, 120.0, 404.0);
    plot.width = std::clamp(plot.height / shape, 120.0, 404.0);
  }
  const Scale x{across.lower, across.upper}, y{up ? up->lower : 0, up ? up->upper : 1};
  Drawing d(plot.right() + 20, plot.bottom() + 44 + 18 * double(draws.size()));
  const std::vector<NamedPoints> all = training_points(run, draws);
  for (std::size_t r = 0; r < all.size(); ++r) {
    const std::size_t count = all[r].x.size() / c.size();
    std::vector<Point> dots;
    for (std::size_t n = 0; n < count; ++n) {
      if (!is_one_of_some(n, count)) continue;
      const double* at = all[r].x.data() + n * c.size();
      dots.push_back({plot.x + plot.width * x.share(at[layout.across]),
                      plot.bottom() - plot.height * (up ? y.share(at[layout.up]) : 0.5)});
    }
    const std::string look = fmt::format("c{}", r % 8);
    const double below = plot.bottom() + 52 + 18 * double(r);
    d.dots(look, dots);
    d.dots(look, {{plot.x + 5, below - 4}});
    d.text({plot.x + 14, below}, Anchor::start,
           fmt::format("{}: {} points{}", all[r].name, count,
                       dots.size() < count ? fmt::format(", {} shown", dots.size()) : ""));
  }
  for (const Tick& t : x.ticks(6)) {
    const double at = plot.x + plot.width * x.share(t.value);
    d.path("ink", {{at, plot.bottom()}, {at, plot.bottom() + 4}});
    d.text({at, plot.bottom() + 17}, Anchor::middle, t.text);
  }
  if (up)
    for (const Tick& t : y.ticks(5)) {
      const double at = plot.bottom() - plot.height * y.share(t.value);
      d.path("ink", {{plot.x - 4, at}, {plot.x, at}});
      d.text({plot.x - 7, at + 4}, Anchor::end, t.text);
    }
  d.frame("ink", plot);
  d.text({plot.x + plot.width / 2, plot.bottom() + 34}, Anchor::middle, axis_name(across));
  if (up) d.text_upward({14, plot.y + plot.height / 2}, axis_name(*up));
  return d;
}

}  // namespace pinn::pages
