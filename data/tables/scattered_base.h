#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "data/tables/scattered_table.h"
#include "data/tables/table_function.h"

namespace pinn {

/// Base of all tables of points: the ranges, and places in units of them.
class ScatteredTable : public TableFunction {
 public:
  static constexpr std::size_t most = PointFunction::most_inputs;
  using Place = std::array<double, most>;

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

}  // namespace pinn
