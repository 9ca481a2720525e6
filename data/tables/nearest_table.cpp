#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "data/tables/table_function.h"

namespace pinn {
namespace {

/// Points in a k-d tree: each half of a span of them lies on one side of the middle one, along one
/// input after the other. J. L. Bentley, Communications of the ACM 18 (1975).
class NearestTable : public TableFunction {
 public:
  NearestTable(TableOptions options, std::vector<double> points, std::vector<double> values)
      : TableFunction(std::move(options)) {
    const std::size_t d = std::size_t(inputs()), n = values.size();
    for (std::size_t i = 0; i < d; ++i) {
      double least = points[i], most = points[i];
      for (std::size_t p = 0; p < n; ++p) {
        least = std::min(least, points[p * d + i]);
        most = std::max(most, points[p * d + i]);
      }
      axes_.emplace_back(most > least ? std::vector{least, most} : std::vector{least},
                         this->options().outside);
    }
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t i = 0; i < d; ++i) points[p * d + i] = scaled(points[p * d + i], i);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    arrange(points, order, 0, n, 0);
    for (const std::size_t p : order) {
      points_.insert(points_.end(), points.begin() + std::ptrdiff_t(p * d),
                     points.begin() + std::ptrdiff_t((p + 1) * d));
      values_.push_back(values[p]);
    }
  }

  std::vector<std::vector<double>> ranges() const override {
    std::vector<std::vector<double>> all;
    for (const TableAxis& axis : axes_) all.push_back({axis.lower(), axis.upper()});
    return all;
  }
  std::string extent() const override { return fmt::format("{} points", values_.size()); }
  int outside(std::span<const double> x) const override {
    for (std::size_t i = 0; i < axes_.size(); ++i)
      if (!axes_[i].contains(x[i])) return int(i);
    return -1;
  }
  std::vector<double> turns(int, double lower, double upper) const override {
    std::vector<double> some;
    for (int k = 1; k < 8; ++k) some.push_back(lower + (upper - lower) * k / 8);
    return some;
  }
  bool vanishes(const MultiIndex& order) const override { return pinn::order(order) > 0; }

  void evaluate(const MultiIndex& order, const double* const* x, std::size_t count,
                double* y) const override {
    std::vector<double> at(axes_.size());
    for (std::size_t p = 0; p < count; ++p) {
      bool finite = true;
      for (std::size_t i = 0; i < at.size(); ++i) {
        finite = finite && std::isfinite(x[i][p]);
        at[i] = scaled(x[i][p], i);
      }
      Best best;
      if (finite) search(at, 0, values_.size(), 0, best);
      y[p] = !finite ? std::nan("") : vanishes(order) ? 0 : values_[best.point];
    }
  }

 private:
  struct Best {
    double distance = std::numeric_limits<double>::infinity();  ///< squared
    std::size_t point = 0;
  };

  double scaled(double x, std::size_t i) const {
    const double length = axes_[i].upper() - axes_[i].lower();
    return length > 0 ? (x - axes_[i].lower()) / length : x - axes_[i].lower();
  }

  void arrange(const std::vector<double>& points, std::vector<std::size_t>& order,
               std::size_t begin, std::size_t end, std::size_t input) {
    if (end - begin < 2) return;
    const std::size_t d = axes_.size(), middle = begin + (end - begin) / 2;
    const auto at = [&](std::size_t k) { return order.begin() + std::ptrdiff_t(k); };
    std::nth_element(at(begin), at(middle), at(end), [&](std::size_t a, std::size_t b) {
      const double x = points[a * d + input], y = points[b * d + input];
      return x < y || (x == y && a < b);
    });
    arrange(points, order, begin, middle, (input + 1) % d);
    arrange(points, order, middle + 1, end, (input + 1) % d);
  }

  void search(const std::vector<double>& x, std::size_t begin, std::size_t end, std::size_t input,
              Best& best) const {
    if (begin == end) return;
    const std::size_t d = x.size(), middle = begin + (end - begin) / 2;
    double distance = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const double gap = x[i] - points_[middle * d + i];
      distance += gap * gap;
    }
    if (distance < best.distance) best = {distance, middle};
    const double side = x[input] - points_[middle * d + input];
    const std::size_t next = (input + 1) % d;
    const auto below = [&] { search(x, begin, middle, next, best); };
    const auto above = [&] { search(x, middle + 1, end, next, best); };
    side < 0 ? below() : above();
    if (side * side < best.distance) side < 0 ? above() : below();
  }

  std::vector<TableAxis> axes_;  ///< of two knots, the ends of the range
  std::vector<double> points_;   ///< [count, inputs], in units of the ranges, as the tree has them
  std::vector<double> values_;
};

}  // namespace

TablePtr nearest_table(TableOptions options, std::vector<double> points,
                       std::vector<double> values) {
  return std::make_shared<NearestTable>(std::move(options), std::move(points), std::move(values));
}

}  // namespace pinn
