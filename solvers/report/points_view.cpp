// Where a run was trained.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/report/axis.h"
#include "solvers/report/layout.h"
#include "solvers/report/views.h"
#include "solvers/train/output.h"

namespace pinn::pages {
namespace {

constexpr std::size_t most_dots = 1500;

/// Which of many points are drawn: an even share, and no pattern of any sequence.
bool is_one_of_some(std::size_t point, std::size_t count) {
  constexpr double golden = 0.6180339887498949;
  const double turns = golden * double(point);
  return (turns - std::floor(turns)) * double(count) <= double(most_dots);
}

}  // namespace

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
