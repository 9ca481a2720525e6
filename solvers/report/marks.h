#pragma once
#include <string>
#include <variant>
#include <vector>

#include "solvers/report/png.h"
#include "solvers/report/style.h"

// Marks that drawings are made of.
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

namespace marks {

/// Lines through points; one that is not finite is a gap.
struct Path {
  std::string look;
  std::vector<Point> points;
};
struct Dots {
  std::string look;
  std::vector<Point> points;
};
struct Box {
  std::string look;
  Frame frame;
};
/// `at`: on the base line of the letters, where the anchor says.
struct Text {
  std::string look;
  Point at;
  Anchor anchor;
  bool upward;  ///< from below to above
  std::string words;
};
struct Image {
  Frame frame;
  Pixels pixels;
  const ColorMap* colors;
};
/// Beginning of a group of a class: all that follows until its end.
struct Begin {
  std::string group;
};
struct End {};

}  // namespace marks

using AnyMark = std::variant<marks::Path, marks::Dots, marks::Box, marks::Text, marks::Image,
                             marks::Begin, marks::End>;

}  // namespace pinn::pages
