#include "solvers/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/report/axis.h"
#include "solvers/report/words.h"

namespace pinn::pages {
namespace {

constexpr double width = 556, height = 300, legend_line = 16;
constexpr Frame usual_plot{58, 12, 472, 238};
constexpr double beside_ticks = 6, from_edge = 4;  // of numbers
constexpr std::size_t colors = 8;

/// Layout of a chart. The numbers of the axis of values are as wide as they are.
struct Axes {
  Scale x, y;
  Frame plot;

  double x_at(double value) const { return plot.x + plot.width * x.share(value); }
  double y_at(double value) const { return plot.bottom() - plot.height * y.share(value); }
};

Scale x_scale(const Chart& chart) {
  std::vector<double> all;
  for (const Curve& c : chart.curves) all.insert(all.end(), c.x.begin(), c.x.end());
  return scale_of(all, false, 0);
}

Scale y_scale(const Chart& chart) {
  std::vector<double> all;
  for (const Curve& c : chart.curves) all.insert(all.end(), c.values.begin(), c.values.end());
  return scale_of(all, chart.logarithmic);
}

constexpr int values_shown = 6;

Axes axes_of(const Chart& chart) {
  Axes axes{x_scale(chart), y_scale(chart), {}};
  const double widest = std::ceil(about_wide(axes.y.ticks(values_shown)));
  const double from = std::max(usual_plot.x, from_edge + widest + beside_ticks);
  axes.plot = {from, usual_plot.y, usual_plot.right() - from, usual_plot.height};
  return axes;
}

void draw_axes(Drawing& d, const Chart& chart, const Axes& axes) {
  const Frame& plot = axes.plot;
  for (const Tick& t : axes.y.ticks(values_shown)) {
    const double at = axes.y_at(t.value);
    d.path("faint", {{plot.x, at}, {plot.right(), at}});
    d.text({plot.x - beside_ticks, at + 4}, Anchor::end, t.text);
  }
  d.begin("x-ticks");
  for (const Tick& t : axes.x.ticks(7)) {
    const double at = axes.x_at(t.value);
    d.path("ink", {{at, plot.bottom()}, {at, plot.bottom() + 4}});
    d.text({at, plot.bottom() + 18}, Anchor::middle, t.text);
  }
  d.end();
  d.frame("ink", plot);
  d.begin("x-name");
  d.text({plot.x + plot.width / 2, height - 12}, Anchor::middle, chart.x_name);
  d.end();
}

/// Names in rows below, each beside a piece of its curve.
double draw_legend(Drawing* d, const Chart& chart, const Frame& plot) {
  constexpr double around = 36;  // a name: its line, and what is between
  double x = plot.x, y = height + 4;
  if (chart.curves.size() == 1 && chart.curves[0].name == chart.title) return height;
  for (std::size_t k = 0; k < chart.curves.size(); ++k) {
    const std::string name = shortened(chart.curves[k].name, plot.width - around);
    const double needs = around + about_wide(name);
    if (x + needs > plot.right() && x > plot.x) x = plot.x, y += legend_line;
    if (d) {
      d->path(fmt::format("c{}{}", k % colors, k >= colors ? " dashed" : ""),
              {{x, y - 4}, {x + 18, y - 4}});
      d->text({x + 23, y}, Anchor::start, name);
    }
    x += needs;
  }
  return y + 8;
}

/// The numbers of a chart, and what they are drawn in.
std::string data(const Chart& chart, const Axes& axes) {
  const auto& [x, y, plot] = axes;
  Json json;
  json.add("title", chart.title).add("name", chart.x_name);
  json.add("plot", std::vector<double>{plot.x, plot.y, plot.width, plot.height});
  json.add("x", std::vector<double>{x.lower, x.upper});
  json.add("y", std::vector<double>{y.lower, y.upper}).add("log", chart.logarithmic ? 1 : 0);
  std::vector<Json> curves, marks;
  for (const Curve& c : chart.curves)
    curves.push_back(
        Json().add("name", c.name).add("x", c.x).add("seconds", c.seconds).add("values", c.values));
  for (const Mark& m : chart.marks)
    marks.push_back(Json()
                        .add("x", m.x)
                        .add("seconds", m.seconds)
                        .add("text", m.text)
                        .add("redraw", m.is_redraw ? 1 : 0));
  return json.add("curves", curves).add("marks", marks).text();
}

void draw_marks(Drawing& d, const Chart& chart, const Axes& axes) {
  std::vector<double> lines;
  for (const Mark& m : chart.marks) lines.push_back(axes.x_at(m.x));
  const auto places = places_of_names(chart.marks, lines, axes.plot);
  d.begin("marks");
  for (std::size_t k = 0; k < lines.size(); ++k) {
    d.path("mark", {{lines[k], axes.plot.y}, {lines[k], axes.plot.bottom()}});
    if (const auto& place = places[k])
      d.text(place->at, place->anchor, chart.marks[k].text, "note");
  }
  d.end();
}

/// Each is one mark: where there is one point alone, a dot.
void draw_curves(Drawing& d, const Chart& chart, const Axes& axes) {
  d.begin("curves");
  for (std::size_t k = 0; k < chart.curves.size(); ++k) {
    const Curve& c = chart.curves[k];
    const std::string look = fmt::format("c{}{}", k % colors, k >= colors ? " dashed" : "");
    std::vector<Point> points;
    for (std::size_t i = 0; i < c.x.size(); ++i)
      if (!std::isnan(c.values[i])) points.push_back({axes.x_at(c.x[i]), axes.y_at(c.values[i])});
    if (points.size() == 1)
      d.dots(look, points);
    else
      d.path(look, points);
  }
  d.end();
}

}  // namespace

Drawing draw(const Chart& chart) {
  const Axes axes = axes_of(chart);
  Drawing d(width, draw_legend(nullptr, chart, axes.plot));
  draw_axes(d, chart, axes);
  draw_marks(d, chart, axes);
  draw_curves(d, chart, axes);
  draw_legend(&d, chart, axes.plot);
  return d;
}

std::string figure(const Chart& chart) {
  return fmt::format(
      "<figure class=\"chart\"><figcaption>{}</figcaption>{}<output></output>"
      "<script type=\"application/json\">{}</script></figure>\n",
      escaped(chart.title), draw(chart).svg(chart.title), data(chart, axes_of(chart)));
}

}  // namespace pinn::pages
