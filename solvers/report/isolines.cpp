#include "solvers/report/heat_map.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace pinn::pages {
namespace {

/// The pieces of one line within cells, from edge to edge of the grid, and their joining.
class Tracer {
 public:
  Tracer(std::span<const double> values, std::size_t columns, double level)
      : values_(values), columns_(columns), level_(level) {}

  std::vector<std::vector<Point>> lines() {
    const std::size_t rows = values_.size() / columns_;
    for (std::size_t r = 0; r + 1 < rows; ++r)
      for (std::size_t c = 0; c + 1 < columns_; ++c) cross(r, c);
    std::vector<std::vector<Point>> all;
    for (const bool closed : {false, true})
      for (const std::size_t edge : order_)
        if (const auto at = next_.find(edge); at != next_.end() && !at->second.empty())
          if (closed || at->second.size() == 1) all.push_back(walked(edge));
    return all;
  }

 private:
  double value(std::size_t r, std::size_t c) const { return values_[r * columns_ + c]; }

  /// Edges by number: 2 n from node n to the right, 2 n + 1 from it to the next row.
  void cross(std::size_t r, std::size_t c) {
    const double corner[] = {value(r, c), value(r, c + 1), value(r + 1, c + 1), value(r + 1, c)};
    for (const double v : corner)
      if (!std::isfinite(v)) return;
    const std::size_t n = r * columns_ + c;
    const std::size_t edge[] = {2 * n, 2 * (n + 1) + 1, 2 * (n + columns_), 2 * n + 1};
    std::vector<std::size_t> met;
    for (int k = 0; k < 4; ++k)
      if ((corner[k] > level_) != (corner[(k + 1) % 4] > level_)) met.push_back(edge[k]);
    if (met.size() == 2) join(met[0], met[1]);
    if (met.size() != 4) return;
    const double middle = (corner[0] + corner[1] + corner[2] + corner[3]) / 4;
    const bool around_first = (middle > level_) != (corner[0] > level_);
    join(met[0], met[around_first ? 3 : 1]);
    join(met[2], met[around_first ? 1 : 3]);
  }

  void join(std::size_t a, std::size_t b) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      next_[from].push_back(to);
      order_.push_back(from);
    }
  }

  Point place(std::size_t edge) const {
    const std::size_t n = edge / 2, r = n / columns_, c = n % columns_;
    const bool down = edge % 2 == 1;
    const double from = value(r, c), to = down ? value(r + 1, c) : value(r, c + 1);
    const double share = std::clamp((level_ - from) / (to - from), 0.0, 1.0);
    return down ? Point{double(c), double(r) + share} : Point{double(c) + share, double(r)};
  }

  std::vector<Point> walked(std::size_t edge) {
    std::vector<Point> line{place(edge)};
    while (!next_[edge].empty()) {
      const std::size_t to = next_[edge].back();
      next_[edge].pop_back();
      std::erase(next_[to], edge);
      line.push_back(place(edge = to));
    }
    return line;
  }

  const std::span<const double> values_;
  const std::size_t columns_;
  const double level_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> next_;
  std::vector<std::size_t> order_;  ///< of the edges, as they were met
};

}  // namespace

std::vector<std::vector<Point>> isolines(std::span<const double> values, std::size_t columns,
                                         double level) {
  return Tracer(values, columns, level).lines();
}

}  // namespace pinn::pages
