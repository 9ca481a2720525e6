#include "solvers/report/heat_map.h"

#include <agg_conv_dash.h>
#include <agg_conv_stroke.h>
#include <agg_ellipse.h>
#include <agg_path_storage.h>
#include <agg_pixfmt_rgb.h>
#include <agg_rasterizer_scanline_aa.h>
#include <agg_renderer_base.h>
#include <agg_renderer_scanline.h>
#include <agg_rendering_buffer.h>
#include <agg_scanline_u.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "solvers/report/axis.h"
#include "solvers/report/style.h"

namespace pinn::pages {
namespace {

static_assert(sizeof(Rgb) == 3, "the library sees bytes");

/// The middle of a line whose edges are those of pixels.
double sharp(double middle, double width) { return std::round(middle - width / 2) + width / 2; }

/// Marks as pixels of a canvas.
class Painter {
 public:
  Painter(Canvas& canvas, double scale)
      : canvas_(canvas),
        scale_(scale),
        buffer_(reinterpret_cast<agg::int8u*>(canvas.colors.data()), unsigned(canvas.width),
                unsigned(canvas.height), int(3 * canvas.width)),
        format_(buffer_),
        pixels_(format_) {
    rasterizer_.clip_box(0, 0, double(canvas.width), double(canvas.height));
  }

  void operator()(const marks::Path& p) {
    const Look look = look_of(p.look);
    if (along_axis(p)) return sharp_line(p, look);
    agg::path_storage path;
    add_lines(path, p.points);
    stroke(path, look, scale_ * width_of(look, line_width));
  }

  void operator()(const marks::Dots& d) {
    const double radius = scale_ * dot_width / 2;
    for (const Point& p : d.points)
      if (std::isfinite(p.x) && std::isfinite(p.y)) {
        const Point at = placed(p);
        agg::ellipse dot(at.x, at.y, radius, radius, 24);
        rasterizer_.add_path(dot);
      }
    fill(look_of(d.look));
  }

  void operator()(const marks::Box& b) {
    const Look look = look_of(b.look);
    const double width = whole(width_of(look, box_width));
    const Point from = placed({b.frame.x, b.frame.y});
    const Point to = placed({b.frame.right(), b.frame.bottom()});
    const double left = sharp(from.x, width), right = sharp(to.x, width);
    const double top = sharp(from.y, width), bottom = sharp(to.y, width);
    agg::path_storage path;
    path.move_to(left, top);
    path.line_to(right, top);
    path.line_to(right, bottom);
    path.line_to(left, bottom);
    path.close_polygon();
    stroke(path, look, width, agg::miter_join);
  }

  void operator()(const marks::Text& t) {
    const Lettering letters = lettering(t.words);
    const double before = letters.width * std::array{0.0, 0.5, 1.0}[std::size_t(t.anchor)];
    agg::path_storage path;
    for (std::vector<Point> line : letters.strokes) {
      for (Point& p : line) {
        const double along = p.x - before, down = p.y;
        p = t.upward ? Point{t.at.x + down, t.at.y - along} : Point{t.at.x + along, t.at.y + down};
      }
      add_lines(path, line);
    }
    stroke(path, look_of(t.look), scale_ * letter_stroke, agg::round_join, agg::round_cap);
  }

  /// Every pixel has the color of the one of the image that it lies in.
  void operator()(const marks::Image& i) {
    const Point from = placed({i.frame.x, i.frame.y});
    const Point to = placed({i.frame.right(), i.frame.bottom()});
    const auto span = [](double a, double b, std::size_t most) {
      const auto inside = [&](double v) { return std::clamp(std::round(v), 0.0, double(most)); };
      return std::pair(std::size_t(inside(a)), std::size_t(inside(b)));
    };
    const auto source = [](std::size_t pixel, double a, double b, std::size_t count) {
      const double share = (double(pixel) + 0.5 - a) / (b - a);
      return std::size_t(std::clamp(share * double(count), 0.0, double(count) - 1));
    };
    const auto [left, right] = span(from.x, to.x, canvas_.width);
    const auto [top, bottom] = span(from.y, to.y, canvas_.height);
    for (std::size_t y = top; y < bottom; ++y)
      for (std::size_t x = left; x < right; ++x) {
        const std::size_t row = source(y, from.y, to.y, i.pixels.height);
        const std::size_t column = source(x, from.x, to.x, i.pixels.width);
        const std::uint8_t color = i.pixels.colors[row * i.pixels.width + column];
        if (color != Pixels::nothing) canvas_.colors[y * canvas_.width + x] = (*i.colors)[color];
      }
  }

  void operator()(const marks::Begin&) {}
  void operator()(const marks::End&) {}

 private:
  static double width_of(const Look& look, double usual) {
    return look.width > 0 ? look.width : usual;
  }
  double whole(double width) const { return std::max(1.0, std::round(scale_ * width)); }

  /// In pixels; what is far outside stays outside, where the library can count.
  Point placed(const Point& p) const {
    constexpr double far = 1e5;
    return {std::clamp(scale_ * p.x, -far, far), std::clamp(scale_ * p.y, -far, far)};
  }

  void add_lines(agg::path_storage& path, const std::vector<Point>& points) const {
    bool down = false;
    for (const Point& p : points) {
      const bool known = std::isfinite(p.x) && std::isfinite(p.y);
      const Point at = placed(p);
      if (known && down) path.line_to(at.x, at.y);
      if (known && !down) path.move_to(at.x, at.y);
      down = known;
    }
  }

  static bool along_axis(const marks::Path& p) {
    return p.points.size() == 2 &&
           (p.points[0].x == p.points[1].x || p.points[0].y == p.points[1].y);
  }
  void sharp_line(const marks::Path& p, const Look& look) {
    const bool upright = p.points[0].x == p.points[1].x;
    const double width = whole(width_of(look, line_width));
    agg::path_storage path;
    std::vector<Point> line;
    for (const Point& point : p.points) {
      const Point at = placed(point);
      line.push_back(upright ? Point{sharp(at.x, width), at.y} : Point{at.x, sharp(at.y, width)});
    }
    path.move_to(line[0].x, line[0].y);
    path.line_to(line[1].x, line[1].y);
    stroke(path, look, width);
  }

  void stroke(agg::path_storage& path, const Look& look, double width,
              agg::line_join_e join = agg::round_join, agg::line_cap_e cap = agg::butt_cap) {
    const auto draw = [&](auto& lines) {
      agg::conv_stroke stroked(lines);
      stroked.width(width);
      stroked.line_join(join);
      stroked.line_cap(cap);
      rasterizer_.add_path(stroked);
    };
    if (look.dashes[0] > 0) {
      agg::conv_dash dashed(path);
      dashed.add_dash(scale_ * look.dashes[0], scale_ * look.dashes[1]);
      draw(dashed);
    } else {
      draw(path);
    }
    fill(look);
  }

  /// Fills the shapes that the rasterizer holds.
  void fill(const Look& look) {
    const agg::rgba8 color(look.color.red, look.color.green, look.color.blue,
                           unsigned(std::lround(255 * look.opacity)));
    agg::render_scanlines_aa_solid(rasterizer_, line_, pixels_, color);
    rasterizer_.reset();
  }

  Canvas& canvas_;
  const double scale_;
  agg::rendering_buffer buffer_;
  agg::pixfmt_rgb24 format_;
  agg::renderer_base<agg::pixfmt_rgb24> pixels_;
  agg::rasterizer_scanline_aa<> rasterizer_;
  agg::scanline_u8 line_;
};

}  // namespace

Canvas rasterized(const Drawing& drawing, double scale) {
  Canvas canvas{std::size_t(std::lround(scale * drawing.width())),
                std::size_t(std::lround(scale * drawing.height())),
                {}};
  canvas.colors.assign(canvas.width * canvas.height, {255, 255, 255});
  Painter painter(canvas, scale);
  for (const AnyMark& mark : drawing.marks()) std::visit(painter, mark);
  return canvas;
}

}  // namespace pinn::pages
