#pragma once
#include <memory>
#include <string>
#include <vector>

#include "solvers/report/axis.h"
#include "solvers/report/drawing.h"
#include "solvers/report/png.h"

namespace pinn::pages {

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
