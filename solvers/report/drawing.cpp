#include "solvers/report/drawing.h"

#include <fmt/format.h>

#include <cmath>

#include "solvers/report/png.h"

namespace pinn::pages {
namespace {

constexpr const char* anchors[] = {"start", "middle", "end"};

}  // namespace

std::string path_text(const std::vector<Point>& points) {
  std::string text;
  bool down = false;
  for (const auto& [x, y] : points) {
    const bool known = std::isfinite(x) && std::isfinite(y);
    if (known) text += fmt::format("{}{:.1f} {:.1f}", down ? "L" : "M", x, y);
    down = known;
  }
  return text;
}

void Drawing::path(const std::string& look, const std::vector<Point>& points) {
  body_ += fmt::format("<path class=\"line {}\" d=\"{}\"/>", look, path_text(points));
}

void Drawing::dots(const std::string& look, const std::vector<Point>& points) {
  std::string text;
  for (const auto& [x, y] : points) text += fmt::format("M{:.1f} {:.1f}h0", x, y);
  body_ += fmt::format("<path class=\"dots {}\" d=\"{}\"/>", look, text);
}

void Drawing::frame(const std::string& look, const Frame& f) {
  body_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", look,
      f.x, f.y, f.width, f.height);
}

void Drawing::text(Point at, Anchor anchor, std::string_view words, const std::string& look) {
  body_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>",
                       look, at.x, at.y, anchors[int(anchor)], escaped(words));
}

void Drawing::text_upward(Point m, std::string_view words) {
  body_ += fmt::format(
      "<text class=\"label\" transform=\"translate({:.1f} {:.1f}) rotate(-90)\" "
      "text-anchor=\"middle\">{}</text>",
      m.x, m.y, escaped(words));
}

void Drawing::image(const Frame& f, const std::string& png, const std::string& name) {
  body_ += fmt::format(
      "<image class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
      "href=\"data:image/png;base64,{}\"/>",
      name, f.x, f.y, f.width, f.height, base64(png));
}

std::string Drawing::element(std::string_view title, const std::string& style) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
      "height=\"{:.0f}\" role=\"img\"><title>{}</title>{}{}</svg>",
      width_, height_, width_, height_, escaped(title), style, body_);
}

std::string Drawing::svg(std::string_view title) const { return element(title, ""); }

std::string Drawing::file(std::string_view title) const {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         element(title, fmt::format("<style>{}</style><rect width=\"100%\" height=\"100%\" "
                                    "fill=\"#ffffff\"/>",
                                    light_style())) +
         "\n";
}

std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : text) switch (c) {
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

// Okabe and Ito (2008), Color universal design: hues that those without one kind of cones can tell
// apart; darker here on white, lighter on black.
const char* light_style() {
  return "svg{font:12px system-ui,sans-serif}.line{fill:none;stroke-width:1.5;"
         "stroke-linejoin:round}.dots{fill:none;stroke-width:3;stroke-linecap:round}"
         ".ink{fill:none;stroke:#555}.faint{fill:none;stroke:#e2e2e2;stroke-width:1}"
         ".mark{fill:none;stroke:#999;stroke-dasharray:4 3;stroke-width:1}"
         ".iso{fill:none;stroke:#000;stroke-opacity:.35;stroke-width:.8}"
         ".label{fill:#222}.note{fill:#666}"
         ".c0{stroke:#0072b2}.c1{stroke:#d55e00}.c2{stroke:#007d5f}.c3{stroke:#b3568a}"
         ".c4{stroke:#a97800}.c5{stroke:#3391c4}.c6{stroke:#111}.c7{stroke:#8a8300}";
}

const char* dark_style() {
  return ".ink{stroke:#aaa}.faint{stroke:#3a3a3a}.mark{stroke:#888}.label{fill:#ddd}"
         ".note{fill:#aaa}.c0{stroke:#56b4e9}.c1{stroke:#ff8c42}.c2{stroke:#2fc59c}"
         ".c3{stroke:#e08fbf}.c4{stroke:#e69f00}.c5{stroke:#8fd0f5}.c6{stroke:#eee}"
         ".c7{stroke:#f0e442}";
}

}  // namespace pinn::pages
