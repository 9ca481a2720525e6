#pragma once
#include <string>
#include <vector>

#include "solvers/report/drawing.h"

namespace pinn::pages {

/// A curve over steps, and over seconds where these are known.
struct Curve {
  std::string name;
  std::vector<double> x, seconds, values;  ///< of one length; seconds may be empty
};

/// Event at a place of the lower axis, with its name.
struct Mark {
  double x = 0, seconds = 0;
  std::string text;
  bool is_redraw = false;  ///< of points; else a stage begins
};

struct Chart {
  std::string title, x_name = "step";
  std::vector<Curve> curves;
  std::vector<Mark> marks = {};
  bool logarithmic = true;
};

/// The chart over steps.
Drawing draw(const Chart& chart);

/// The same as a figure of a page, with its numbers: the script reads them out under the pointer,
/// shows a part of the axis, and seconds in the place of steps.
std::string figure(const Chart& chart);

/// So many of a list at most, evenly, the first and the last among them.
template <class T> std::vector<T> some_of(const std::vector<T>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<T> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(all[k * (all.size() - 1) / (most - 1)]);
  return some;
}

}  // namespace pinn::pages
