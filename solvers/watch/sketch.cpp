#include "solvers/watch/follow_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pinn {
namespace {

constexpr int label_width = 10;  ///< "-1.2e-308 "

/// Dots in cells, and the characters that show them.
class Canvas {
 public:
  Canvas(int columns, int rows, bool braille)
      : columns_(columns),
        across_(braille ? 2 : 1),
        down_(braille ? 4 : 2),
        braille_(braille),
        cells_(std::size_t(columns * rows)) {}

  int width() const { return columns_ * across_; }
  int height() const { return int(cells_.size()) / columns_ * down_; }

  void dot(int x, int y) {
    const int inside = y % down_ * across_ + x % across_;
    cells_[std::size_t(y / down_ * columns_ + x / across_)] |= 1u << inside;
  }

  std::string row(int k) const {
    std::string text;
    for (int c = 0; c < columns_; ++c) text += character(cells_[std::size_t(k * columns_ + c)]);
    return text;
  }

 private:
  /// Braille characters begin at U+2800; the bits of their dots go down the left column, then the
  /// right, with the lowest row last.
  std::string character(unsigned dots) const {
    constexpr const char* ascii[] = {" ", "'", ".", "|"};
    if (!braille_) return ascii[dots];
    constexpr unsigned bits[] = {0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80};
    unsigned code = 0;
    for (int k = 0; k < 8; ++k) code |= dots >> k & 1 ? bits[k] : 0;
    return {char(0xE2), char(0xA0 | code >> 6), char(0x80 | (code & 0x3F))};
  }

  const int columns_, across_, down_;
  const bool braille_;
  std::vector<unsigned> cells_;
};

struct Stretch {
  double lower = INFINITY, upper = -INFINITY;

  void take(double v) { lower = std::min(lower, v), upper = std::max(upper, v); }
  /// From 0 to 1; the middle where all are the same.
  double share(double v) const {
    return upper > lower ? (v / 2 - lower / 2) / (upper / 2 - lower / 2) : 0.5;
  }
};

}  // namespace

std::vector<std::string> sketch(const std::vector<double>& x, const std::vector<double>& y,
                                const SketchStyle& style) {
  const int columns = std::max(style.columns - label_width, 1), rows = std::max(style.rows, 1);
  const auto shown = [&](std::size_t k) { return std::isfinite(x[k]) && std::isfinite(y[k]); };
  bool logarithmic = style.logarithmic;
  for (std::size_t k = 0; k < y.size(); ++k) logarithmic &= !shown(k) || y[k] > 0;
  const auto height = [&](double v) { return logarithmic ? std::log(v) : v; };
  Stretch across, up, values;
  for (std::size_t k = 0; k < y.size(); ++k)
    if (shown(k)) across.take(x[k]), up.take(height(y[k])), values.take(y[k]);
  Canvas canvas(columns, rows, style.braille);
  int before_x = -1, before_y = -1;
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (!shown(k)) continue;
    const int at_x = int(std::lround(across.share(x[k]) * (canvas.width() - 1)));
    const int at_y = int(std::lround((1 - up.share(height(y[k]))) * (canvas.height() - 1)));
    const int steps =
        before_x < 0 ? 0 : std::max(std::abs(at_x - before_x), std::abs(at_y - before_y));
    for (int s = 0; s < steps; ++s)
      canvas.dot(before_x + (at_x - before_x) * s / steps,
                 before_y + (at_y - before_y) * s / steps);
    canvas.dot(at_x, at_y);
    before_x = at_x, before_y = at_y;
  }
  std::vector<std::string> lines;
  for (int k = 0; k < rows; ++k) {
    const bool end = before_x >= 0 && (k == 0 || k == rows - 1);
    const std::string label =
        end ? fmt::format("{:.1e}", k == 0 ? values.upper : values.lower) : "";
    lines.push_back(fmt::format("{:>{}} {}", label, label_width - 1, canvas.row(k)));
  }
  return lines;
}

}  // namespace pinn
