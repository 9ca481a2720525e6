#pragma once
#include <string_view>
#include <vector>

#include "solvers/report/marks.h"

// Text where there is no font: the letters of a plotter, which are lines.
namespace pinn::pages {

inline constexpr double letter_stroke = 1.1;  ///< how wide their lines are, in pixels

/// A text as lines, in pixels to the right of its beginning and below its base line.
struct Lettering {
  std::vector<std::vector<Point>> strokes;
  double width = 0;
};

/// As large as the letters of a page. Powers, indices, Greek and the signs of formulas are spelled
/// so that they can be read ("10⁻⁷" with raised digits, "α" as alpha); of all else that is not
/// ASCII a letter is '?'.
Lettering lettering(std::string_view words);

/// Frame that a text covers in its drawing.
Frame covered(const marks::Text& text);

}  // namespace pinn::pages
