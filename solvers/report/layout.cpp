#include "solvers/report/axis.h"

#include <cmath>

namespace pinn::pages {

Layout layout_of(const Run& run) {
  const std::vector<Coordinate>& all = run.problem.coordinates;
  Layout layout;
  std::vector<int> space, others;
  int time = -1;
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (all[c].role == Role::time)
      time = int(c);
    else
      (all[c].role == Role::space ? space : others).push_back(int(c));
    const bool cut = c < run.output.grid.size() && run.output.grid[c].place.has_value();
    layout.at.push_back(cut ? *run.output.grid[c].place : (all[c].lower + all[c].upper) / 2);
  }
  layout.to_scale = space.size() >= 2;
  space.insert(space.end(), others.begin(), others.end());
  if (time >= 0) space.insert(space.begin() + (layout.to_scale ? 2 : 0), time);
  layout.across = space[0];
  if (space.size() > 1) layout.up = space[1];
  if (space.size() > 2) layout.third = space[2];
  return layout;
}

std::string axis_name(const Coordinate& coordinate) {
  return coordinate.unit.empty() || coordinate.unit == "1"
             ? coordinate.name
             : coordinate.name + " in " + coordinate.unit;
}

std::vector<double> positions(const Coordinate& coordinate, std::size_t count) {
  std::vector<double> all;
  for (std::size_t k = 0; k < count; ++k)
    all.push_back(std::lerp(coordinate.lower, coordinate.upper, double(k) / double(count - 1)));
  return all;
}

std::string fixed_text(const Run& run, const Layout& layout) {
  constexpr std::size_t many = 12;
  std::string text;
  bool middle = layout.at.size() > many;
  for (std::size_t c = 0; c < layout.at.size(); ++c) {
    const Coordinate& k = run.problem.coordinates[c];
    middle = middle && layout.at[c] == (k.lower + k.upper) / 2;
  }
  if (middle) return "the middle of all other coordinates";
  for (std::size_t c = 0; c < layout.at.size(); ++c) {
    const int i = int(c);
    if (i == layout.across || i == layout.up || i == layout.third) continue;
    text += (text.empty() ? "" : ", ") + run.problem.coordinates[c].name + " = " +
            number_text(layout.at[c], 4);
  }
  return text;
}

}  // namespace pinn::pages
