#include "solvers/report/chart.h"

#include <fmt/format.h>

#include <cmath>

#include "solvers/report/axis.h"
#include "solvers/report/json.h"

namespace pinn::pages {
namespace {

constexpr double width = 556, height = 300, legend_line = 16;
constexpr Frame plot{58, 12, 472, 238};
constexpr std::size_t colors = 8;

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

double x_at(const Scale& scale, double value) { return plot.x + plot.width * scale.share(value); }
double y_at(const Scale& scale, double value) {
  return plot.bottom() - plot.height * scale.share(value);
}

void draw_axes(Drawing& d, const Chart& chart, const Scale& x, const Scale& y) {
  for (const Tick& t : y.ticks(6)) {
    const double at = y_at(y, t.value);
    d.path("faint", {{plot.x, at}, {plot.right(), at}});
    d.text({plot.x - 6, at + 4}, Anchor::end, t.text);
  }
  d.begin("x-ticks");
  for (const Tick& t : x.ticks(7)) {
    const double at = x_at(x, t.value);
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
double draw_legend(Drawing* d, const Chart& chart) {
  double x = plot.x, y = height + 4;
  if (chart.curves.size() == 1 && chart.curves[0].name == chart.title) return height;
  for (std::size_t k = 0; k < chart.curves.size(); ++k) {
    const double needs = 36 + 7.4 * double(chart.curves[k].name.size());
    if (x + needs > plot.right() && x > plot.x) x = plot.x, y += legend_line;
    if (d) {
      d->path(fmt::format("c{}{}", k % colors, k >= colors ? " dashed" : ""),
              {{x, y - 4}, {x + 18, y - 4}});
      d->text({x + 23, y}, Anchor::start, chart.curves[k].name);
    }
    x += needs;
  }
  return y + 8;
}

/// The numbers of a chart, and what they are drawn in.
std::string data(const Chart& chart, const Scale& x, const Scale& y) {
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
    marks.push_back(Json().add("x", m.x).add("seconds", m.seconds).add("text", m.text));
  return json.add("curves", curves).add("marks", marks).text();
}

}  // namespace

Drawing draw(const Chart& chart) {
  const Scale x = x_scale(chart), y = y_scale(chart);
  Drawing d(width, draw_legend(nullptr, chart));
  draw_axes(d, chart, x, y);
  d.begin("marks");
  for (const Mark& m : chart.marks) {
    const double at = x_at(x, m.x);
    d.path("mark", {{at, plot.y}, {at, plot.bottom()}});
    d.text({at + 4, plot.y + 13}, Anchor::start, m.text, "note");
  }
  d.end();
  d.begin("curves");
  for (std::size_t k = 0; k < chart.curves.size(); ++k) {
    const Curve& c = chart.curves[k];
    std::vector<Point> points;
    for (std::size_t i = 0; i < c.x.size(); ++i) {
      if (std::isnan(c.values[i])) continue;  // not evaluated then
      points.push_back({x_at(x, c.x[i]), y_at(y, c.values[i])});
    }
    d.path(fmt::format("c{}{}", k % colors, k >= colors ? " dashed" : ""), points);
  }
  d.end();
  draw_legend(&d, chart);
  return d;
}

std::string figure(const Chart& chart) {
  return fmt::format(
      "<figure class=\"chart\"><figcaption>{}</figcaption>{}<output></output>"
      "<script type=\"application/json\">{}</script></figure>\n",
      escaped(chart.title), draw(chart).svg(chart.title),
      data(chart, x_scale(chart), y_scale(chart)));
}

}  // namespace pinn::pages
