#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/report/chart.h"
#include "solvers/report/marks.h"
#include "solvers/state/run.h"

namespace pinn::pages {

struct Tick {
  double value = 0;
  std::string text;
};

/// Range that an axis shows, from end to end.
struct Scale {
  double lower = 0, upper = 1;
  bool logarithmic = false;

  /// Position of a value, 0 at the lower end and 1 at the upper; NaN for one that has none.
  double share(double value) const;
  /// A handful of round values within, the same number of digits each; of a logarithmic one powers
  /// of ten, or their parts where it has few.
  std::vector<Tick> ticks(int about) const;
};

/// The scale of what is finite among these, positive where it is logarithmic, with a little room
/// beyond; (0, 1) where there is nothing, or (0.1, 1).
Scale scale_of(const std::vector<double>& values, bool logarithmic, double room = 0.04);

/// A number with so many digits as people read: "0.25", "1.2e-7" as 1.2·10⁻⁷.
std::string number_text(double value, int digits = 3);

/// About how wide a text is on a page, in pixels, whose font is not known: seldom less. Of ticks:
/// the widest of them.
double about_wide(std::string_view words);
double about_wide(const std::vector<Tick>& ticks);
/// A text, or its beginning where it is wider than its room.
std::string shortened(std::string words, double room);

/// Which coordinates of a problem its pictures show.
struct Layout {
  int across = 0;          ///< the coordinate from left to right
  int up = -1;             ///< from below to above; -1: there is one coordinate only
  int third = -1;          ///< the one that is stepped through; -1: none
  std::vector<double> at;  ///< where the others stay, per coordinate
  bool to_scale = false;   ///< both axes are of space
};

/// Two coordinates of space where there are, then time for the third; else time from left to
/// right.
Layout layout_of(const Run& run);

/// "x", or "x in m".
std::string axis_name(const Coordinate& coordinate);

/// Evenly spaced positions along a coordinate, both ends included.
std::vector<double> positions(const Coordinate& coordinate, std::size_t count);

/// "y = 0.5, k = 1": what is shown of neither axis; empty where all is.
std::string fixed_text(const Run& run, const Layout& layout);

// Text where there is no font: the letters of a plotter, which are lines.

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

/// Place of the name of a mark: on one side of its line, in a row from above.
struct NamePlace {
  Point at;
  Anchor anchor = Anchor::start;
};

/// A place for each name where it meets no other within the plot; none where it has none. Earlier
/// marks choose first. `lines`: where these are, in pixels from the left. The script of a page does
/// the same for what it shows (page.js).
std::vector<std::optional<NamePlace>> places_of_names(const std::vector<Mark>& marks,
                                                      const std::vector<double>& lines,
                                                      const Frame& plot);

}  // namespace pinn::pages
