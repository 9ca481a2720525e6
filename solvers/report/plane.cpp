#include "solvers/report/heat_map.h"

#include <algorithm>
#include <cmath>

namespace pinn::pages {
namespace {

constexpr double left = 58, top = 10, longest = 404, shortest = 120, usual_height = 290;
constexpr double name_room = 20, beside_axis = 7;
constexpr int numbers_up = 6;

}  // namespace

Frame plane_frame(double shape, const Axis* up, double beyond) {
  const double numbers = up ? std::ceil(about_wide(up->scale.ticks(numbers_up))) : 0;
  const double from = std::max(left, name_room + numbers + beside_axis);
  const double widest = longest - (from - left) - beyond;
  Frame plot{from, top, widest, usual_height};
  if (shape <= 0) return plot;
  plot.height = std::clamp(plot.width * shape, shortest, longest);
  plot.width = std::clamp(plot.height / shape, shortest, widest);
  return plot;
}

void draw_axes(Drawing& d, const Frame& plot, const Axis& across, const Axis* up) {
  for (const Tick& t : across.scale.ticks(std::max(3, int(plot.width / 75)))) {
    const double at = plot.x + plot.width * across.scale.share(t.value);
    d.path("ink", {{at, plot.bottom()}, {at, plot.bottom() + 4}});
    d.text({at, plot.bottom() + 17}, Anchor::middle, t.text);
  }
  if (up)
    for (const Tick& t : up->scale.ticks(std::max(3, int(plot.height / 55)))) {
      const double at = plot.bottom() - plot.height * up->scale.share(t.value);
      d.path("ink", {{plot.x - 4, at}, {plot.x, at}});
      d.text({plot.x - beside_axis, at + 4}, Anchor::end, t.text);
    }
  d.frame("ink", plot);
  d.text({plot.x + plot.width / 2, plot.bottom() + 36}, Anchor::middle, across.name);
  if (up) d.text_upward({14, plot.y + plot.height / 2}, up->name);
}

}  // namespace pinn::pages
