#include "solvers/points/point_sets.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>

#include "autograd/core/random.h"
#include "solvers/problem/evaluate.h"

namespace pinn {
namespace {

/// A cell is as wide as a formula changes along it, or as this share of its side of the box: where
/// a formula changes with one coordinate alone, a model may be wrong along the others too.
constexpr double share_of_side = 0.5;
/// How much less a change counts in a small cell: a jump would take all cuts otherwise.
constexpr double power_of_size = 1.0 / 8;
constexpr double narrowest = 0x1p-40;  // of a side of the box
constexpr double boundless = 1e100;
/// Ops in all ranges: some tenths of a second. Beyond it only the largest cells are cut.
constexpr double most_work = 1e7;

struct Cell {
  std::vector<Interval> box;
  double share = 1;             ///< of the whole box
  std::vector<double> changes;  ///< per formula: the width of its range
  double change = 0;            ///< what orders the cuts
};

class Cells {
 public:
  /// Cuts along the coordinates that are `free`.
  Cells(const std::vector<ExpressionPtr>& formulas, const std::vector<Interval>& box,
        const std::vector<bool>& free)
      : whole_(box), free_(free), spans_(formulas.size(), {INFINITY, -INFINITY}) {
    for (const ExpressionPtr& f : formulas) {
      ranges_.emplace_back(*f);
      values_.emplace_back(*f);
    }
    for (std::size_t i = 0; i < box.size(); ++i) {
      free_[i] = free_[i] && !box[i].fixed();
      dimension_ += free_[i];
    }
    Cell root{.box = box, .share = 1, .changes = changes(box), .change = 0};
    cells_.push_back(std::move(root));
    look_at(0);
    order();
  }

  void cut_to(std::size_t count) {
    while (cells_.size() < count && dimension_ > 0) {
      cut_largest();
      if (cells_.size() < count && work_ < most_work) cut_most_changing();
    }
  }

  WeightedPoints points() const {
    const Random random{0, stream("reference", "points")};
    const std::size_t d = whole_.size();
    WeightedPoints points{cells_.size(), {}, {}};
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      for (std::size_t i = 0; i < d; ++i) {
        const Interval& side = cells_[c].box[i];
        points.x.push_back(side.lower + (side.upper - side.lower) * random.uniform(c * d + i));
      }
      points.weights.push_back(cells_[c].share);
    }
    return points;
  }

 private:
  using Entry = std::pair<double, std::size_t>;  ///< a key and a cell, the earlier cell first
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    }
  };
  using Order = std::priority_queue<Entry, std::vector<Entry>, Later>;

  /// The widths of the ranges of all formulas.
  std::vector<double> changes(const std::vector<Interval>& box) {
    std::vector<double> widths(ranges_.size(), 0);
    for (std::size_t k = 0; k < ranges_.size() && work_ < most_work; ++k) {
      const Interval range = ranges_[k](box);
      const double width = range.upper - range.lower;
      widths[k] = width < boundless ? width : boundless;  // or not a number
      work_ += double(ranges_[k].size());
    }
    return widths;
  }

  /// As a share of the box's; 0 where it is never cut.
  double side(const Cell& cell, std::size_t i) const {
    if (!free_[i]) return 0;
    return (cell.box[i].upper - cell.box[i].lower) / (whole_[i].upper - whole_[i].lower);
  }

  std::size_t longest(const Cell& cell) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < cell.box.size(); ++i)
      if (side(cell, i) > side(cell, best)) best = i;
    return best;
  }

  /// The values in the middle of a cell widen what the formulas are known to span.
  void look_at(std::size_t c) {
    std::vector<double> middle;
    for (const Interval& i : cells_[c].box) middle.push_back(i.lower / 2 + i.upper / 2);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const double value = values_[k]({.coordinates = middle});
      if (!std::isfinite(value)) continue;
      spans_[k].lower = std::min(spans_[k].lower, value);
      spans_[k].upper = std::max(spans_[k].upper, value);
    }
  }

  /// A change as a share of what formula k spans.
  double relative(std::size_t k, double change) const {
    const double span = spans_[k].upper - spans_[k].lower;
    if (change == 0) return 0;
    return span > 0 ? std::min(change / span, boundless) : boundless;
  }

  double change_of(const Cell& cell) const {
    double most = 0;
    for (std::size_t k = 0; k < cell.changes.size(); ++k)
      most = std::max(most, relative(k, cell.changes[k]));
    const double widest = side(cell, longest(cell));
    return widest > narrowest ? std::max(most, share_of_side * widest) *
                                    std::pow(cell.share, power_of_size / dimension_)
                              : 0;
  }

  void enter(std::size_t c) {
    cells_[c].change = change_of(cells_[c]);
    by_share_.push({cells_[c].share, c});
    by_change_.push({cells_[c].change, c});
  }

  /// Orders all cells by what the formulas are known to span by now.
  void order() {
    by_share_ = by_change_ = {};
    for (std::size_t c = 0; c < cells_.size(); ++c) enter(c);
  }

  /// The first cell of an order whose entry still holds.
  static std::size_t first(Order& order, const auto& key_of) {
    while (order.top().first != key_of(order.top().second)) order.pop();
    return order.top().second;
  }

  void cut_largest() {
    const std::size_t c = first(by_share_, [&](std::size_t i) { return cells_[i].share; });
    cut(c, longest(cells_[c]));
  }

  void cut_most_changing() {
    const std::size_t c = first(by_change_, [&](std::size_t i) { return cells_[i].change; });
    if (cells_[c].change > 0) cut(c, direction(cells_[c]));
  }

  /// The coordinate whose cut takes most of the change away; of equal ones the longest.
  std::size_t direction(const Cell& cell) {
    std::size_t best = longest(cell);
    double most = gain(cell, best);
    for (std::size_t i = 0; i < cell.box.size(); ++i)
      if (const double g = gain(cell, i); g > most) best = i, most = g;
    return best;
  }

  double gain(const Cell& cell, std::size_t i) {
    if (side(cell, i) <= narrowest) return 0;
    const std::vector<double> lower = changes(half(cell.box, i, false)),
                              upper = changes(half(cell.box, i, true));
    double most = share_of_side * side(cell, i);
    for (std::size_t k = 0; k < lower.size(); ++k)
      most = std::max(most, relative(k, 2 * cell.changes[k] - lower[k] - upper[k]));
    return most;
  }

  static std::vector<Interval> half(std::vector<Interval> box, std::size_t i, bool upper) {
    const double middle = box[i].lower / 2 + box[i].upper / 2;
    (upper ? box[i].lower : box[i].upper) = middle;
    return box;
  }

  void cut(std::size_t c, std::size_t i) {
    const std::vector<Interval> whole = cells_[c].box;
    const double share = cells_[c].share / 2;
    cells_.emplace_back();
    for (const bool upper : {false, true}) {
      const std::size_t at = upper ? cells_.size() - 1 : c;
      std::vector<Interval> box = half(whole, i, upper);
      std::vector<double> widths = changes(box);
      cells_[at] = {std::move(box), share, std::move(widths), 0};
      look_at(at);
      enter(at);
    }
    if (std::has_single_bit(cells_.size())) order();
  }

  const std::vector<Interval> whole_;
  std::vector<bool> free_;
  int dimension_ = 0;  ///< how many are free
  std::vector<RangeEvaluator> ranges_;
  std::vector<Evaluator> values_;
  std::vector<Interval> spans_;  ///< per formula, of the values seen
  std::vector<Cell> cells_;
  Order by_share_, by_change_;
  double work_ = 0;
};

WeightedPoints points_of_cells(const std::vector<ExpressionPtr>& formulas,
                               const std::vector<Interval>& box, const std::vector<bool>& free,
                               std::size_t count) {
  Cells cells(formulas, box, free);
  cells.cut_to(count);
  return cells.points();
}

}  // namespace

WeightedPoints formula_points(const std::vector<ExpressionPtr>& formulas,
                              const std::vector<Interval>& box, std::size_t count,
                              const std::vector<bool>& averaged) {
  const std::size_t d = box.size();
  const auto means = std::size_t(std::count(averaged.begin(), averaged.end(), true));
  if (means == 0 || means == d)
    return points_of_cells(formulas, box, std::vector<bool>(d, true), count);
  std::vector<bool> others = averaged;
  others.flip();
  const double share = double(d - means) / double(d);
  const auto sets = std::size_t(std::round(std::pow(double(count), share)));
  const WeightedPoints fixed = points_of_cells(formulas, box, others, sets);
  WeightedPoints all;
  for (std::size_t s = 0; s < fixed.count; ++s) {
    std::vector<Interval> slice = box;
    for (std::size_t i = 0; i < d; ++i)
      if (others[i]) slice[i] = {fixed.x[s * d + i], fixed.x[s * d + i]};
    const WeightedPoints some = points_of_cells(formulas, slice, averaged, count / sets);
    all.count += some.count;
    all.x.insert(all.x.end(), some.x.begin(), some.x.end());
    for (const double w : some.weights) all.weights.push_back(w * fixed.weights[s]);
  }
  return all;
}

}  // namespace pinn
