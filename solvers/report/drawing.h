#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "solvers/report/marks.h"

namespace pinn::pages {

/// Marks that a picture is made of, in pixels; the name of its kind (style.h) says how one looks,
/// in colors that a page chooses for light and dark, and a file brings with it:
///
///   ink faint      lines of axes, and of grids
///   mark iso       lines at a place, and of equal values
///   c0 .. c7       curves and dots, one color each
///   label note     text
class Drawing {
 public:
  Drawing(double width, double height) : width_(width), height_(height) {}

  /// Lines through points; one that is not finite is a gap.
  void path(const std::string& look, std::vector<Point> points);
  /// A dot at every point.
  void dots(const std::string& look, std::vector<Point> points);
  void frame(const std::string& look, const Frame& frame);
  void text(Point at, Anchor anchor, std::string_view words, const std::string& look = "label");
  /// A text from below to above, around its middle.
  void text_upward(Point middle, std::string_view words);
  /// Pixels as large as they become, in colors that outlive the drawing.
  void image(const Frame& frame, Pixels pixels, const ColorMap& colors);
  /// Begins a group of a class, for the page's script: all that follows until the end.
  void begin(const std::string& group);
  void end();

  double width() const { return width_; }
  double height() const { return height_; }
  const std::vector<AnyMark>& marks() const { return marks_; }

  /// As an element of a page; `title` is read to those who cannot see it.
  std::string svg(std::string_view title) const;
  /// As an SVG file of its own, in the light colors.
  std::string file(std::string_view title) const;
  /// The bytes of a PNG file, in the light colors, of so many pixels to one of the drawing.
  ///
  ///   errors   InternalError when libpng cannot
  std::string png(double scale = 2) const;

 private:
  std::string element(std::string_view title, const std::string& style) const;

  double width_, height_;
  std::vector<AnyMark> marks_;
};

/// Text as it stands in HTML, SVG and MathML, in attributes too; what no such text may hold is left
/// out.
std::string escaped(std::string_view text);

}  // namespace pinn::pages
