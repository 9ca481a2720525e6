#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pinn::pages {

struct Point {
  double x = 0, y = 0;
};
/// A rectangle, in pixels from the upper left corner of its drawing.
struct Frame {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

enum class Anchor { start, middle, end };

/// What a picture is made of, in pixels; how a mark looks says the name of its kind, whose colors
/// the page chooses for light and dark, and a stand-alone file brings with it:
///
///   ink faint      lines of axes, and of grids
///   c0 .. c7       curves, one color each; `points` beside it draws dots
///   label note     text
class Drawing {
 public:
  Drawing(double width, double height) : width_(width), height_(height) {}

  /// Lines through points; one that is not finite is a gap.
  void path(const std::string& look, const std::vector<Point>& points);
  /// A dot at every point.
  void dots(const std::string& look, const std::vector<Point>& points);
  void frame(const std::string& look, const Frame& frame);
  void text(Point at, Anchor anchor, std::string_view words, const std::string& look = "label");
  /// A text from below to above, around its middle.
  void text_upward(Point middle, std::string_view words);
  /// The bytes of a PNG file, its pixels as large as they become.
  void image(const Frame& frame, const std::string& png, const std::string& name = "");
  /// What follows until the end is one group of a class, for the page's script.
  void begin(const std::string& group) { body_ += "<g class=\"" + group + "\">"; }
  void end() { body_ += "</g>"; }

  /// As an element of a page; `title` is read to those who cannot see it.
  std::string svg(std::string_view title) const;
  /// As a file of its own, in the light colors.
  std::string file(std::string_view title) const;

 private:
  std::string element(std::string_view title, const std::string& style) const;

  double width_, height_;
  std::string body_;
};

/// The text of a page's `path` through points.
std::string path_text(const std::vector<Point>& points);

/// Text as it stands in HTML, SVG and MathML, in attributes too; what no such text may hold is left
/// out.
std::string escaped(std::string_view text);

/// The colors and sizes of all kinds of marks, light, and what changes where it is dark.
const char* light_style();
const char* dark_style();

}  // namespace pinn::pages
