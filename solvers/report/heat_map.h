#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/report/axis.h"
#include "solvers/report/drawing.h"
#include "solvers/report/png.h"

namespace pinn::pages {

// Frame and axes around all pictures over two coordinates.

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

/// A drawing in pixels on white, in the light colors; `scale`: so many pixels are one of its own.
/// Lines along an axis lie on whole pixels, other marks are smoothed.
Canvas rasterized(const Drawing& drawing, double scale);

/// Lines of equal value on a grid of nodes, values [rows, columns] at (column, row), each a run of
/// points; none through cells with a corner that is not finite.
///
///   source  marching squares; the middle of a cell decides its two ways through a saddle
std::vector<std::vector<Point>> isolines(std::span<const double> values, std::size_t columns,
                                         double level);

/// A quantity over two coordinates, at one place of all others or at several of a third.
struct HeatMap {
  enum class Look { value, difference, size };  ///< size: of a residual, by powers of ten

  std::string title;
  std::string x_name, y_name, third;  ///< third: of the coordinate that is stepped through, or ""
  std::vector<double> x, y;           ///< ascending nodes, two at least each
  std::vector<double> thirds = {};    ///< places of the third; empty where there is none
  /// Per place [y, x]; NaN: nothing is there. Beside what a mask leaves out there may be values.
  std::vector<std::vector<double>> values;
  /// Which pixels there are, [rows, columns] from the upper left, per place; null: all.
  std::shared_ptr<const std::vector<std::vector<bool>>> mask = {};
  Look look = Look::value;
  bool to_scale = false;  ///< both coordinates are lengths: drawn so where that fits
};

/// How many pixels a map of so many nodes has along them, two to each where that is not too many.
std::size_t pixels_along(std::size_t nodes);
/// Centers of the pixels, from the first node to the last.
std::vector<double> pixel_centers(const std::vector<double>& nodes);

/// The range of its colors.
Scale color_scale(const HeatMap& map);

/// The map at one place of the third coordinate.
Drawing draw(const HeatMap& map, std::size_t place);

/// Its colors alone, without axes.
Pixels pixels_of(const HeatMap& map, std::size_t place);

/// The same as a figure of a page, all places of which a slider shows one, with its numbers.
std::string figure(const HeatMap& map);

}  // namespace pinn::pages
