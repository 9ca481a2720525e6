// Picture of the points at which a run was trained.
#include <fmt/format.h>

#include <cmath>

#include "solvers/records/fields/output.h"
#include "solvers/report/axis.h"
#include "solvers/report/heat_map.h"
#include "solvers/report/views.h"
#include "solvers/state/windows.h"

namespace pinn::pages {
namespace {

constexpr std::size_t most_dots = 1500;
constexpr double strip = 40;  ///< the height of a picture over one coordinate
constexpr double line_of_legend = 18;

/// Which of many points are drawn: an even share, and no pattern of any sequence.
std::vector<std::size_t> some_of_points(std::size_t count) {
  constexpr double golden = 0.6180339887498949;
  std::vector<std::size_t> some;
  for (std::size_t n = 0; n < count && some.size() < most_dots; ++n) {
    const double turns = golden * double(n);
    if ((turns - std::floor(turns)) * double(count) <= double(most_dots)) some.push_back(n);
  }
  return some;
}

Axis axis_of(const Coordinate& c) { return {{c.lower, c.upper}, axis_name(c)}; }
double length(const Scale& scale) { return scale.upper - scale.lower; }

Drawing drawn(const Run& run, const std::vector<Draw>& draws) {
  const Layout layout = layout_of(run);
  const std::vector<Coordinate>& c = run.problem.coordinates;
  const Axis across = axis_of(c[std::size_t(layout.across)]);
  const Axis up = layout.up < 0 ? Axis{} : axis_of(c[std::size_t(layout.up)]);
  Frame plot = plane_frame(layout.to_scale ? length(up.scale) / length(across.scale) : 0,
                           layout.up < 0 ? nullptr : &up);
  if (layout.up < 0) plot.height = strip;
  Drawing d(plot.right() + 20, plot.bottom() + below_plane + line_of_legend * double(draws.size()));
  const std::vector<NamedPoints> all = training_points(run, draws);
  for (std::size_t r = 0; r < all.size(); ++r) {
    const std::size_t count = all[r].x.size() / c.size();
    std::vector<Point> dots;
    for (const std::size_t n : some_of_points(count)) {
      const double* at = all[r].x.data() + n * c.size();
      dots.push_back(
          {plot.x + plot.width * across.scale.share(at[layout.across]),
           plot.bottom() - plot.height * (layout.up < 0 ? 0.5 : up.scale.share(at[layout.up]))});
    }
    const std::string look = fmt::format("c{}", r % 8);
    const double below = plot.bottom() + below_plane + 8 + line_of_legend * double(r);
    d.dots(look, dots);
    d.dots(look, {{plot.x + 5, below - 4}});
    const double room = d.width() - plot.x - 14 - about_wide(": 1000000 points, 1500 shown");
    d.text(
        {plot.x + 14, below}, Anchor::start,
        fmt::format("{}: {} point{}{}", shortened(all[r].name, room), count, count == 1 ? "" : "s",
                    dots.size() < count ? fmt::format(", {} shown", dots.size()) : ""));
  }
  draw_axes(d, plot, across, layout.up < 0 ? nullptr : &up);
  return d;
}

}  // namespace

std::optional<Drawing> points_view(const ReportedRun& r, ThreadPool& pool) {
  Windows windows(r.run, pool);
  for (const FinishedWindow& w : r.checkpoint.state.finished) windows.finish(w.best.parameters);
  if (r.checkpoint.state.draws.size() != windows.run().problem.requirements.size()) return {};
  return drawn(windows.run(), r.checkpoint.state.draws);
}

}  // namespace pinn::pages
