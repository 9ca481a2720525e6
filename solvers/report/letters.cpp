#include "solvers/report/axis.h"

#include <agg_gsv_text.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "solvers/report/style.h"
#include "solvers/report/words.h"

namespace pinn::pages {
namespace {

constexpr double capital = 0.72 * font_size;  // how high
constexpr double slimness = 0.8;              // how wide against what the plotter draws
constexpr double ascent = 0.8 * font_size, descent = 0.25 * font_size;

/// One letter, its base line at zero, y upward.
struct Glyph {
  std::vector<std::vector<Point>> strokes;
  double advance = 0;
};

Glyph glyph_of(char letter) {
  agg::gsv_text plotter;
  plotter.size(capital, slimness * capital);
  plotter.text(std::string(1, letter).c_str());
  plotter.rewind(0);
  Glyph glyph;
  Point p;
  for (unsigned act; (act = plotter.vertex(&p.x, &p.y)) != agg::path_cmd_stop;) {
    glyph.advance = std::max(glyph.advance, p.x);
    if (act == agg::path_cmd_move_to) glyph.strokes.emplace_back();
    if (!glyph.strokes.empty()) glyph.strokes.back().push_back(p);
  }
  std::erase_if(glyph.strokes, [](const auto& stroke) { return stroke.size() < 2; });
  return glyph;
}

/// Glyph of a letter from ' ' to '~'.
const Glyph& glyph(char letter) {
  static const auto all = [] {
    std::array<Glyph, 95> made;
    for (std::size_t k = 0; k < made.size(); ++k) made[k] = glyph_of(char(' ' + k));
    return made;
  }();
  return all[std::size_t(letter - ' ')];
}

}  // namespace

Lettering lettering(std::string_view words) {
  Lettering text;
  for (const Spelled& part : spelled(words))
    for (const char letter : part.letters) {
      const Glyph& g = glyph(letter);
      for (std::vector<Point> stroke : g.strokes) {
        for (Point& p : stroke)
          p = {text.width + part.size * part.width * p.x, -part.size * p.y - part.raised * capital};
        text.strokes.push_back(std::move(stroke));
      }
      text.width += part.size * part.width * g.advance;
    }
  return text;
}

Frame covered(const marks::Text& text) {
  const double width = lettering(text.words).width;
  const double before = width * std::array{0.0, 0.5, 1.0}[std::size_t(text.anchor)];
  if (text.upward) return {text.at.x - ascent, text.at.y + before - width, ascent + descent, width};
  return {text.at.x - before, text.at.y - ascent, width, ascent + descent};
}

}  // namespace pinn::pages
