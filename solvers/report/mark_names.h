#pragma once
#include <optional>
#include <vector>

#include "solvers/report/chart.h"

namespace pinn::pages {

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
