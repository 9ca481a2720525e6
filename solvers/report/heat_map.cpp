#include "solvers/report/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "solvers/report/png.h"
#include "solvers/report/words.h"

namespace pinn::pages {
namespace {

constexpr double bar_gap = 14, bar = 14, bar_room = 66, beside_bar = 5;
constexpr std::size_t most_pixels = 180;  // along each side
constexpr int sizes_shown = 4;            // powers of ten of a residual

const ColorMap& colors_of(const HeatMap& map) {
  return map.look == HeatMap::Look::difference ? diverging_colors() : sequential_colors();
}

/// Beside the bar, for its numbers.
double room_of_bar(const HeatMap& map) {
  constexpr int most_numbers = 6;
  return std::max(bar_room,
                  beside_bar + std::ceil(about_wide(color_scale(map).ticks(most_numbers))));
}

Axis up_of(const HeatMap& map) { return {{map.y[0], map.y.back()}, map.y_name}; }

Frame plot_of(const HeatMap& map) {
  const Axis up = up_of(map);
  return plane_frame(map.to_scale ? (map.y.back() - map.y[0]) / (map.x.back() - map.x[0]) : 0, &up,
                     room_of_bar(map) - bar_room);
}

/// The two nodes around a place, and how far it is from the first to the second.
struct Between {
  std::size_t node;
  double share;
};
Between between(const std::vector<double>& nodes, double x) {
  const auto above = std::ranges::upper_bound(nodes, x);
  const std::size_t i =
      std::clamp<std::size_t>(std::size_t(above - nodes.begin()), 1, nodes.size() - 1) - 1;
  return {i, std::clamp((x - nodes[i]) / (nodes[i + 1] - nodes[i]), 0.0, 1.0)};
}

/// By the four nodes around; where some have no value, by the nearest that has one.
double value_at(const HeatMap& map, const std::vector<double>& values, double x, double y) {
  const Between column = between(map.x, x), row = between(map.y, y);
  const double* first = values.data() + row.node * map.x.size() + column.node;
  const double* second = first + map.x.size();
  const double mixed = std::lerp(std::lerp(first[0], first[1], column.share),
                                 std::lerp(second[0], second[1], column.share), row.share);
  if (std::isfinite(mixed)) return mixed;
  const bool right = column.share >= 0.5, down = row.share >= 0.5;
  for (const auto& [other_row, other_column] : {std::pair(false, false), std::pair(false, true),
                                                std::pair(true, false), std::pair(true, true)})
    if (const double v = (down != other_row ? second : first)[right != other_column ? 1 : 0];
        std::isfinite(v))
      return v;
  return NAN;
}

void draw_isolines(Drawing& d, const HeatMap& map, std::size_t place, const Frame& plot) {
  if (map.look != HeatMap::Look::value) return;
  const auto at = [&](const std::vector<double>& nodes, double index) {
    const std::size_t i = std::min(std::size_t(index), nodes.size() - 2);
    const double x = std::lerp(nodes[i], nodes[i + 1], index - double(i));
    return (x - nodes[0]) / (nodes.back() - nodes[0]);
  };
  std::vector<Point> all;
  for (const Tick& tick : color_scale(map).ticks(8))
    for (const std::vector<Point>& line : isolines(map.values[place], map.x.size(), tick.value)) {
      for (const Point& p : line)
        all.push_back(
            {plot.x + plot.width * at(map.x, p.x), plot.bottom() - plot.height * at(map.y, p.y)});
      all.push_back({NAN, NAN});
    }
  d.path("iso", all);
}

void draw_place(Drawing& d, const HeatMap& map, std::size_t place, const Frame& plot) {
  d.image(plot, pixels_of(map, place), colors_of(map));
  draw_isolines(d, map, place, plot);
}

void draw_axes(Drawing& d, const HeatMap& map, const Frame& plot) {
  const Axis up = up_of(map);
  draw_axes(d, plot, {{map.x[0], map.x.back()}, map.x_name}, &up);
}

void draw_bar(Drawing& d, const HeatMap& map, const Frame& plot) {
  const Frame frame{plot.right() + bar_gap, plot.y, bar, plot.height};
  const ColorMap& colors = colors_of(map);
  Pixels pixels{1, colors.size(), {}};
  for (std::size_t k = 0; k < colors.size(); ++k)
    pixels.colors.push_back(std::uint8_t(colors.size() - 1 - k));
  d.image(frame, std::move(pixels), colors);
  d.frame("ink", frame);
  const Scale scale = color_scale(map);
  for (const Tick& t : scale.ticks(std::max(3, int(plot.height / 50))))
    d.text({frame.right() + beside_bar, frame.bottom() - frame.height * scale.share(t.value) + 4},
           Anchor::start, t.text);
}

/// All places, each a group, of which a style hides all but one.
Drawing draw_all(const HeatMap& map, std::size_t shown) {
  const Frame plot = plot_of(map);
  Drawing d(plot.right() + bar_gap + bar + room_of_bar(map), plot.bottom() + below_plane);
  for (std::size_t k = 0; k < map.values.size(); ++k) {
    d.begin(k == shown ? "place" : "place hidden");
    draw_place(d, map, k, plot);
    d.end();
  }
  draw_axes(d, map, plot);
  draw_bar(d, map, plot);
  return d;
}

/// Values as whole numbers of 16 bits between the ends of the colors, low byte first; 65535 is
/// nothing.
std::string packed(const std::vector<double>& values, const Scale& scale) {
  std::string bytes;
  for (const double v : values) {
    const double share = scale.logarithmic && v <= 0 ? 0 : scale.share(v);
    const unsigned whole =
        std::isfinite(v) ? unsigned(std::lround(65534 * std::clamp(share, 0.0, 1.0))) : 65535u;
    bytes += {char(whole & 255u), char(whole >> 8)};
  }
  return base64(bytes);
}

std::string data(const HeatMap& map) {
  const Frame plot = plot_of(map);
  const Scale scale = color_scale(map);
  Json json;
  json.add("plot", std::vector<double>{plot.x, plot.y, plot.width, plot.height});
  json.add("names", std::vector<std::string>{map.x_name, map.y_name, map.third});
  json.add("x", map.x).add("y", map.y).add("thirds", map.thirds);
  json.add("range", std::vector<double>{scale.lower, scale.upper});
  json.add("log", scale.logarithmic ? 1 : 0);
  std::vector<std::string> values;
  for (const std::vector<double>& v : map.values) values.push_back(packed(v, scale));
  return json.add("values", values).text();
}

}  // namespace

std::size_t pixels_along(std::size_t nodes) { return std::min(most_pixels, 2 * nodes); }

std::vector<double> pixel_centers(const std::vector<double>& nodes) {
  std::vector<double> all;
  const std::size_t count = pixels_along(nodes.size());
  for (std::size_t k = 0; k < count; ++k)
    all.push_back(std::lerp(nodes[0], nodes.back(), (double(k) + 0.5) / double(count)));
  return all;
}

Scale color_scale(const HeatMap& map) {
  std::vector<double> all;
  for (const std::vector<double>& v : map.values) all.insert(all.end(), v.begin(), v.end());
  if (map.look == HeatMap::Look::value) return scale_of(all, false, 0);
  double largest = 0;
  for (const double v : all)
    if (std::isfinite(v)) largest = std::max(largest, std::fabs(v));
  if (largest == 0) largest = 1;
  if (map.look == HeatMap::Look::difference) return {-largest, largest, false};
  return {largest * std::pow(10, -sizes_shown), largest, true};
}

Drawing draw(const HeatMap& map, std::size_t place) {
  const Frame plot = plot_of(map);
  Drawing d(plot.right() + bar_gap + bar + room_of_bar(map), plot.bottom() + below_plane);
  draw_place(d, map, place, plot);
  draw_axes(d, map, plot);
  draw_bar(d, map, plot);
  return d;
}

Pixels pixels_of(const HeatMap& map, std::size_t place) {
  const Scale scale = color_scale(map);
  const std::vector<double> x = pixel_centers(map.x), y = pixel_centers(map.y);
  Pixels pixels{x.size(), y.size(), {}};
  for (std::size_t r = 0; r < y.size(); ++r)
    for (std::size_t c = 0; c < x.size(); ++c) {
      const double value = value_at(map, map.values[place], x[c], y[y.size() - 1 - r]);
      const double share = scale.logarithmic && value <= 0 ? 0 : scale.share(value);
      const bool there = !map.mask || (*map.mask)[place][r * x.size() + c];
      pixels.colors.push_back(there && std::isfinite(value) ? std::uint8_t(color_index(share, 0, 1))
                                                            : Pixels::nothing);
    }
  return pixels;
}

std::string figure(const HeatMap& map) {
  const std::size_t last = map.values.size() - 1, shown = last / 2;
  std::string slider;
  if (last > 0)
    slider = fmt::format(
        "<label class=\"slider\">{} <input type=\"range\" min=\"0\" max=\"{}\" value=\"{}\"> "
        "<span>{}</span></label>",
        escaped(map.third), last, shown, number_text(map.thirds[shown], 4));
  return fmt::format(
      "<figure class=\"map\"><figcaption>{}</figcaption>{}{}<output></output>"
      "<script type=\"application/json\">{}</script></figure>\n",
      escaped(map.title), draw_all(map, shown).svg(map.title), slider, data(map));
}

}  // namespace pinn::pages
