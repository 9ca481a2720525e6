#pragma once
#include <array>
#include <string>
#include <string_view>

#include "solvers/report/color.h"

namespace pinn::pages {

/// How a kind of marks looks where it is light.
struct Look {
  enum class Of { line, text, curve };

  std::string_view name;
  Of of;
  Rgb color;
  double width = 0;  ///< in pixels; 0: as all of its marks
  double opacity = 1;
  std::array<double, 2> dashes = {};  ///< long, and apart, in pixels; 0: none
};

inline constexpr double line_width = 1.5, dot_width = 3, box_width = 1, font_size = 12;
inline constexpr std::array<double, 2> dashes_of_curves{5, 3};  ///< where it is `dashed`, too

/// Look of a name such as "c3" or "c3 dashed".
///
///   errors   InternalError when there is none
Look look_of(std::string_view name);

/// The colors and sizes of all kinds of marks as a page has them, light, and what changes where it
/// is dark.
std::string light_style();
std::string dark_style();

}  // namespace pinn::pages
