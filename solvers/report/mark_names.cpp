#include "solvers/report/axis.h"

#include <algorithm>

namespace pinn::pages {
namespace {

constexpr double apart = 4, first_row = 13, row_height = 14;
constexpr int rows_of_stages = 3;  ///< redraws, which are many, have the first alone

/// Part of its row that a name covers.
struct NameSpan {
  int row;
  double from, to;
};

bool meet(const NameSpan& a, const NameSpan& b) {
  return a.row == b.row && a.from < b.to + apart && b.from < a.to + apart;
}

}  // namespace

std::vector<std::optional<NamePlace>> places_of_names(const std::vector<Mark>& marks,
                                                      const std::vector<double>& lines,
                                                      const Frame& plot) {
  std::vector<std::optional<NamePlace>> places(marks.size());
  std::vector<NameSpan> taken;
  const auto place = [&](std::size_t k, Anchor anchor) {
    const double width = about_wide(marks[k].text), x = lines[k];
    const double from = anchor == Anchor::start ? x + apart : x - apart - width;
    for (int row = 0; row < (marks[k].is_redraw ? 1 : rows_of_stages) && !places[k]; ++row) {
      const NameSpan name{row, from, from + width};
      if (name.from < plot.x || name.to > plot.right()) return;
      if (std::ranges::any_of(taken, [&](const NameSpan& t) { return meet(t, name); })) continue;
      const double at = anchor == Anchor::start ? name.from : name.to;
      places[k] = {{at, plot.y + first_row + row * row_height}, anchor};
      taken.push_back(name);
    }
  };
  for (std::size_t k = 0; k < marks.size(); ++k) {
    if (marks[k].text.empty() || lines[k] < plot.x || lines[k] > plot.right()) continue;
    place(k, Anchor::start);
    if (!places[k]) place(k, Anchor::end);
  }
  return places;
}

}  // namespace pinn::pages
