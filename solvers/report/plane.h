#pragma once
#include <string>

#include "solvers/report/axis.h"
#include "solvers/report/drawing.h"

// Frame and axes around all pictures over two coordinates.
namespace pinn::pages {

/// An axis: what it shows, and its name.
struct Axis {
  Scale scale;
  std::string name;
};

/// Frame of such a picture in its drawing. `shape`: height to width of both coordinates, where
/// these are lengths, or 0. It is narrower by what the numbers of `up`, and those beside it, take
/// beyond their usual room; a null `up` is no axis.
Frame plane_frame(double shape, const Axis* up, double beyond = 0);

inline constexpr double below_plane = 44;  ///< room for numbers and the name

/// The frame with numbers and names; a null `up` is no axis.
void draw_axes(Drawing& drawing, const Frame& plot, const Axis& across, const Axis* up);

}  // namespace pinn::pages
