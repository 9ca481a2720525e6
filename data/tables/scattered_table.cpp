#include "data/tables/scattered_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "autograd/core/error.h"
#include "data/tables/point_tree.h"

namespace pinn {
namespace {

constexpr std::size_t most = PointFunction::most_inputs;
using Place = std::array<double, most>;

/// What all tables of points have in common: the ranges, and places in units of them.
class ScatteredTable : public TableFunction {
 public:
  ScatteredTable(const TableOptions& options, const std::vector<double>& points,
                 std::vector<double> values)
      : TableFunction(options), d_(options.inputs.size()), values_(std::move(values)) {
    for (std::size_t i = 0; i < d_; ++i) {
      double least = points[i], greatest = points[i];
      for (std::size_t p = 0; p < values_.size(); ++p) {
        least = std::min(least, points[p * d_ + i]);
        greatest = std::max(greatest, points[p * d_ + i]);
      }
      axes_.emplace_back(greatest > least ? std::vector{least, greatest} : std::vector{least},
                         options.outside);
    }
    for (std::size_t p = 0; p < values_.size(); ++p)
      for (std::size_t i = 0; i < d_; ++i)
        points_.push_back((points[p * d_ + i] - axes_[i].lower()) / length(i));
    tree_.emplace(points_, d_);
  }

  std::vector<std::vector<double>> ranges() const override {
    std::vector<std::vector<double>> all;
    for (const TableAxis& axis : axes_) all.push_back({axis.lower(), axis.upper()});
    return all;
  }
  std::string extent() const override { return fmt::format("{} points", values_.size()); }
  int outside(std::span<const double> x) const override {
    for (std::size_t i = 0; i < d_; ++i)
      if (!axes_[i].contains(x[i])) return int(i);
    return -1;
  }
  std::vector<double> turns(int, double lower, double upper) const override {
    std::vector<double> some;
    for (int k = 1; k < 8; ++k) some.push_back(lower + (upper - lower) * k / 8);
    return some;
  }
  void evaluate(const MultiIndex& order, const double* const* x, std::size_t count,
                double* y) const override {
    for (std::size_t p = 0; p < count; ++p) {
      Place at{};
      bool finite = true, beyond = false;
      for (std::size_t i = 0; i < d_; ++i) {
        finite = finite && std::isfinite(x[i][p]);
        beyond = beyond || (order[i] > 0 && !axes_[i].contains(x[i][p]));
        at[i] = std::clamp((x[i][p] - axes_[i].lower()) / length(i), 0.0, 1.0);
      }
      y[p] = !finite ? std::nan("") : beyond || vanishes(order) ? 0 : value(order, at);
    }
  }

 protected:
  virtual double value(const MultiIndex& order, const Place& at) const = 0;
  std::span<const double> place(const Place& at) const { return std::span(at).first(d_); }
  double length(std::size_t i) const {
    return axes_[i].size() > 1 ? axes_[i].upper() - axes_[i].lower() : 1;
  }

  std::size_t d_;
  std::vector<TableAxis> axes_;  ///< of two knots, the ends of the range
  std::vector<double> points_;   ///< [count, inputs], in units of the ranges
  std::vector<double> values_;
  std::optional<PointTree> tree_;
};

class NearestTable : public ScatteredTable {
 public:
  using ScatteredTable::ScatteredTable;
  bool vanishes(const MultiIndex& order) const override { return pinn::order(order) > 0; }

 private:
  double value(const MultiIndex&, const Place& at) const override {
    return values_[tree_->nearest(place(at), 1)[0].point];
  }
};

class PlanesTable : public ScatteredTable {
 public:
  PlanesTable(const TableOptions& options, const std::vector<double>& points,
              const std::vector<double>& values)
      : ScatteredTable(options, points, values) {
    for (std::size_t p = 0; p < values_.size(); ++p) slopes_.push_back(fitted(p));
  }
  bool vanishes(const MultiIndex& order) const override { return pinn::order(order) > 1; }

 private:
  /// Points that are blended, and one more, where they no longer count.
  std::size_t blended() const { return 4 * d_; }

  /// (1/s - 1/S)^2 for squared distances: infinite at a point, 0 with its slope at S.
  static double weight(double s, double all) { return std::pow(1 / s - 1 / all, 2); }

  /// The slopes of the plane through a point that fits those around it best.
  Place fitted(std::size_t p) const {
    const std::span<const double> at = std::span(points_).subspan(p * d_, d_);
    const std::vector<PointTree::Near> near = tree_->nearest(at, blended() + 2);
    const double all = 1.0001 * near.back().distance;
    std::array<std::array<double, most + 1>, most> a{};
    for (const auto& [s, point] : near) {
      if (point == p) continue;
      Place step{};
      for (std::size_t i = 0; i < d_; ++i) step[i] = points_[point * d_ + i] - at[i];
      const double w = weight(s, all);
      for (std::size_t i = 0; i < d_; ++i) {
        for (std::size_t j = 0; j < d_; ++j) a[i][j] += w * step[i] * step[j];
        a[i][d_] += w * step[i] * (values_[point] - values_[p]);
      }
    }
    return solved(a);
  }

  /// Of positive equations; a direction in which no point lies has no slope.
  Place solved(std::array<std::array<double, most + 1>, most> a) const {
    double trace = 0;
    for (std::size_t i = 0; i < d_; ++i) trace += a[i][i];
    for (std::size_t i = 0; i < d_; ++i) a[i][i] += 1e-14 * trace;
    for (std::size_t k = 0; k < d_; ++k)
      for (std::size_t i = k + 1; i < d_; ++i) {
        const double factor = a[k][k] > 0 ? a[i][k] / a[k][k] : 0;
        for (std::size_t j = k; j <= d_; ++j) a[i][j] -= factor * a[k][j];
      }
    Place x{};
    for (std::size_t k = d_; k-- > 0;) {
      double rest = a[k][d_];
      for (std::size_t j = k + 1; j < d_; ++j) rest -= a[k][j] * x[j];
      x[k] = a[k][k] > 0 ? rest / a[k][k] : 0;
    }
    return x;
  }

  double value(const MultiIndex& order, const Place& at) const override {
    std::size_t by = 0;
    while (by < d_ && order[by] == 0) ++by;
    const std::vector<PointTree::Near> near = tree_->nearest(place(at), blended() + 1);
    const auto step = [&](std::size_t point, std::size_t i) {
      return at[i] - points_[point * d_ + i];
    };
    if (near[0].distance < 1e-24)  // the plane of a point touches there
      return by < d_ ? slopes_[near[0].point][by] / length(by) : values_[near[0].point];
    const double all = near.back().distance;
    const double all_slope = by < d_ ? 2 * step(near.back().point, by) : 0;
    double sum = 0, weights = 0, sum_slope = 0, weights_slope = 0;
    for (const auto& [s, point] : near) {
      double plane = values_[point];
      for (std::size_t i = 0; i < d_; ++i) plane += slopes_[point][i] * step(point, i);
      const double w = weight(s, all);
      sum += w * plane;
      weights += w;
      if (by == d_) continue;
      const double slope =
          2 * (1 / s - 1 / all) * (all_slope / (all * all) - 2 * step(point, by) / (s * s));
      sum_slope += slope * plane + w * slopes_[point][by];
      weights_slope += slope;
    }
    const double mean = sum / weights;
    return by == d_ ? mean : (sum_slope - mean * weights_slope) / weights / length(by);
  }

  std::vector<Place> slopes_;  ///< of the planes, in units of the ranges
};

}  // namespace

TablePtr nearest_table(TableOptions options, std::vector<double> points,
                       std::vector<double> values) {
  return std::make_shared<NearestTable>(options, points, std::move(values));
}

TablePtr planes_table(const TableOptions& options, const std::vector<double>& points,
                      const std::vector<double>& values) {
  const std::size_t least = options.inputs.size() + 2;
  if (values.size() < least)
    throw ConfigError({fmt::format("the table '{}' has {} points", options.name, values.size()), "",
                       fmt::format("give {} at least", least)});
  return std::make_shared<PlanesTable>(options, points, values);
}

bool is_scattered(const TableFunction& table) {
  return dynamic_cast<const ScatteredTable*>(&table) != nullptr;
}

}  // namespace pinn
