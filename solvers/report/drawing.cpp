#include "solvers/report/drawing.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "autograd/core/error.h"
#include "solvers/report/heat_map.h"
#include "solvers/report/png.h"
#include "solvers/report/style.h"

namespace pinn::pages {
namespace {

/// Marks as elements of SVG.
struct SvgWriter {
  std::string& body;

  void operator()(const marks::Path& p) {
    body += fmt::format("<path class=\"line {}\" d=\"{}\"/>", p.look, path_text(p.points));
  }
  void operator()(const marks::Dots& d) {
    std::string text;
    for (const auto& [x, y] : d.points) text += fmt::format("M{:.1f} {:.1f}h0", x, y);
    body += fmt::format("<path class=\"dots {}\" d=\"{}\"/>", d.look, text);
  }
  void operator()(const marks::Box& b) {
    body += fmt::format(
        "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", b.look,
        b.frame.x, b.frame.y, b.frame.width, b.frame.height);
  }
  void operator()(const marks::Text& t) {
    constexpr const char* anchors[] = {"start", "middle", "end"};
    const std::string place =
        t.upward ? fmt::format("transform=\"translate({:.1f} {:.1f}) rotate(-90)\"", t.at.x, t.at.y)
                 : fmt::format("x=\"{:.1f}\" y=\"{:.1f}\"", t.at.x, t.at.y);
    body += fmt::format("<text class=\"{}\" {} text-anchor=\"{}\">{}</text>", t.look, place,
                        anchors[int(t.anchor)], escaped(t.words));
  }
  void operator()(const marks::Image& i) {
    body += fmt::format(
        "<image class=\"\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
        "href=\"data:image/png;base64,{}\"/>",
        i.frame.x, i.frame.y, i.frame.width, i.frame.height, base64(png(i.pixels, *i.colors)));
  }
  void operator()(const marks::Begin& b) { body += "<g class=\"" + b.group + "\">"; }
  void operator()(const marks::End&) { body += "</g>"; }

  static std::string path_text(const std::vector<Point>& points) {
    std::string text;
    bool down = false;
    for (const auto& [x, y] : points) {
      const bool known = std::isfinite(x) && std::isfinite(y);
      if (known) text += fmt::format("{}{:.1f} {:.1f}", down ? "L" : "M", x, y);
      down = known;
    }
    return text;
  }
};

}  // namespace

void Drawing::path(const std::string& look, std::vector<Point> points) {
  marks_.push_back(marks::Path{look, std::move(points)});
}
void Drawing::dots(const std::string& look, std::vector<Point> points) {
  marks_.push_back(marks::Dots{look, std::move(points)});
}
void Drawing::frame(const std::string& look, const Frame& frame) {
  marks_.push_back(marks::Box{look, frame});
}
void Drawing::text(Point at, Anchor anchor, std::string_view words, const std::string& look) {
  marks_.push_back(marks::Text{look, at, anchor, false, std::string(words)});
}
void Drawing::text_upward(Point middle, std::string_view words) {
  marks_.push_back(marks::Text{"label", middle, Anchor::middle, true, std::string(words)});
}
void Drawing::image(const Frame& frame, Pixels pixels, const ColorMap& colors) {
  marks_.push_back(marks::Image{frame, std::move(pixels), &colors});
}
void Drawing::begin(const std::string& group) { marks_.push_back(marks::Begin{group}); }
void Drawing::end() { marks_.emplace_back(std::in_place_type<marks::End>); }

std::string Drawing::element(std::string_view title, const std::string& style) const {
  std::string body;
  for (const AnyMark& mark : marks_) std::visit(SvgWriter{body}, mark);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
      "height=\"{:.0f}\" role=\"img\"><title>{}</title>{}{}</svg>",
      width_, height_, width_, height_, escaped(title), style, body);
}

std::string Drawing::svg(std::string_view title) const { return element(title, ""); }

std::string Drawing::file(std::string_view title) const {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         element(title, fmt::format("<style>{}</style><rect width=\"100%\" height=\"100%\" "
                                    "fill=\"#ffffff\"/>",
                                    light_style())) +
         "\n";
}

std::string Drawing::png(double scale) const { return pages::png(rasterized(*this, scale), scale); }

std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : visible(text)) switch (c) {
      case '&':
        all += "&amp;";
        break;
      case '<':
        all += "&lt;";
        break;
      case '>':
        all += "&gt;";
        break;
      case '"':
        all += "&quot;";
        break;
      case '\'':
        all += "&#39;";
        break;
      default:
        if (std::uint8_t(c) >= 0x20 || c == '\n' || c == '\t') all += c;
    }
  return all;
}

}  // namespace pinn::pages
