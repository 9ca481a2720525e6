#pragma once
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace pinn::pages
