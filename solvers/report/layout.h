#pragma once
#include <string>
#include <vector>

#include "solvers/state/run.h"

namespace pinn::pages {

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

}  // namespace pinn::pages
