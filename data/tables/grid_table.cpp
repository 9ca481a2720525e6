#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "autograd/core/error.h"
#include "data/tables/shares.h"
#include "data/tables/table_function.h"

namespace pinn {

double TableFunction::operator()(std::span<const double> x, const MultiIndex& order) const {
  const double* places[most_inputs] = {};
  for (std::size_t i = 0; i < x.size(); ++i) places[i] = &x[i];
  double y = 0;
  evaluate(order, places, 1, &y);
  return y;
}

namespace {

constexpr int most = PointFunction::most_inputs;

class GridTable : public TableFunction, public WritesC, public HasGrid {
 public:
  GridTable(TableOptions options, std::vector<TableAxis> axes, std::vector<double> values)
      : TableFunction(std::move(options)), axes_(std::move(axes)), values_(std::move(values)) {
    for (std::size_t i = axes_.size(), step = 1; i-- > 0; step *= axes_[i].size()) step_[i] = step;
    if (cubic()) add_slopes();
  }

  std::vector<std::vector<double>> ranges() const override {
    std::vector<std::vector<double>> all;
    for (const TableAxis& axis : axes_) all.push_back({axis.lower(), axis.upper()});
    return all;
  }
  std::string extent() const override {
    std::string text;
    for (const TableAxis& axis : axes_)
      text += fmt::format("{}{}", text.empty() ? "" : " x ", axis.size());
    return text + (axes_.size() == 1 ? " points" : " grid");
  }
  int outside(std::span<const double> x) const override {
    for (std::size_t i = 0; i < axes_.size(); ++i)
      if (!axes_[i].contains(x[i])) return int(i);
    return -1;
  }
  std::vector<double> turns(int input, double lower, double upper) const override {
    const std::vector<double>& knots = axes_[std::size_t(input)].knots();
    return {std::upper_bound(knots.begin(), knots.end(), lower),
            std::lower_bound(knots.begin(), knots.end(), upper)};
  }

  bool vanishes(const MultiIndex& order) const override {
    const int degree = cubic() ? 3 : options().interpolation == Interpolation::linear ? 1 : 0;
    for (std::size_t i = 0; i < axes_.size(); ++i)
      if (int(order[i]) > std::min(degree, int(axes_[i].size()) - 1)) return true;
    return false;
  }

  void evaluate(const MultiIndex& order, const double* const* x, std::size_t count,
                double* y) const override {
    for (std::size_t p = 0; p < count; ++p) {
      std::array<double, most> at{};
      for (std::size_t i = 0; i < axes_.size(); ++i) at[i] = x[i][p];
      y[p] = value(order, at);
    }
  }
  TableText c_text(const std::string& name) const override {
    return grid_text(name, options(), axes_, values_);
  }
  TableGrid grid() const override { return {options(), axes_, values_}; }

 private:
  bool cubic() const { return options().interpolation == Interpolation::cubic; }
  /// Numbers that are kept per knot: its value, and slopes by every set of inputs.
  std::size_t kept() const { return cubic() ? std::size_t(1) << axes_.size() : 1; }

  double value(const MultiIndex& order, const std::array<double, most>& x) const {
    std::array<Shares<double>, most> shares;
    std::size_t first = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (!std::isfinite(x[i])) return std::nan("");
      const TableAxis::Place at = axes_[i].find(x[i]);
      if (at.beyond && order[i] > 0) return 0;
      shares[i] = shares_of(options().interpolation, at.share, at.length, order[i]);
      first += at.cell * step_[i];
    }
    return sum(first * kept(), 0, 0, shares);
  }

  /// Sum over the corners beyond an input; `slopes` are the inputs whose slope is taken.
  double sum(std::size_t corner, std::size_t input, std::size_t slopes,
             const std::array<Shares<double>, most>& shares) const {
    if (input == axes_.size()) return values_[corner + slopes];
    double total = 0;
    for (std::size_t end = 0; end < std::min<std::size_t>(2, axes_[input].size()); ++end)
      for (std::size_t kind = 0; kind < (cubic() ? 2u : 1u); ++kind)
        if (const double share = shares[input][end][kind]; share != 0)
          total += share * sum(corner + end * step_[input] * kept(), input + 1,
                               slopes | kind << input, shares);
    return total;
  }

  /// Beside each value its slopes, by every set of inputs.
  void add_slopes() {
    std::vector<double> all(values_.size() * kept());
    for (std::size_t k = 0; k < values_.size(); ++k) all[k * kept()] = values_[k];
    values_ = std::move(all);
    for (std::size_t i = 0; i < axes_.size(); ++i)
      for (std::size_t set = 0; set < std::size_t(1) << i; ++set) add_slopes(i, set);
  }

  /// Adds the slopes by input i of what is kept for a set of inputs.
  void add_slopes(std::size_t i, std::size_t set) {
    const TableAxis& axis = axes_[i];
    const bool periodic = options().outside == Outside::periodic;
    std::vector<double> line(axis.size());
    const std::size_t points = values_.size() / kept();
    for (std::size_t first = 0; first < points; ++first) {
      if (first / step_[i] % axis.size() != 0) continue;
      const auto at = [&](std::size_t k, std::size_t of) -> double& {
        return values_[(first + k * step_[i]) * kept() + of];
      };
      for (std::size_t k = 0; k < line.size(); ++k) line[k] = at(k, set);
      const std::vector<double> slopes = spline_slopes(axis.knots(), line, periodic);
      for (std::size_t k = 0; k < line.size(); ++k) at(k, set | std::size_t(1) << i) = slopes[k];
    }
  }

  std::vector<TableAxis> axes_;
  std::array<std::size_t, most> step_{};
  std::vector<double> values_;  ///< [knots..., kept]
};

void require_ascending(const TableOptions& options, std::size_t i,
                       const std::vector<double>& knots) {
  for (std::size_t k = 1; k < knots.size(); ++k)
    if (knots[k] <= knots[k - 1])
      throw ConfigError(
          {fmt::format("'{}' of the table '{}' does not ascend: number {} is {}, and "
                       "number {} is {}",
                       options.inputs[i], options.name, k, knots[k - 1], k + 1, knots[k]),
           "", "sort it, and give every place once"});
}

/// Requires a periodic table to have the same at both ends of an input.
void require_period(const TableOptions& options, std::size_t i, const std::vector<TableAxis>& axes,
                    const std::vector<double>& values) {
  std::size_t step = 1;
  for (std::size_t k = i + 1; k < axes.size(); ++k) step *= axes[k].size();
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const std::size_t span = (axes[i].size() - 1) * step;
  for (std::size_t k = 0; k + span < values.size(); ++k) {
    if (k / step % axes[i].size() != 0) continue;
    if (std::fabs(values[k] - values[k + span]) <= 1e-6 * (*greatest - *least)) continue;
    throw ConfigError({fmt::format("the table '{}' is not periodic in {}: it is {:.6g} at {} and "
                                   "{:.6g} at {}",
                                   options.name, options.inputs[i], values[k], axes[i].lower(),
                                   values[k + span], axes[i].upper()),
                       "", "end it where its period ends, with the first value once more"});
  }
}

}  // namespace

TablePtr grid_table(TableOptions options, std::vector<std::vector<double>> knots,
                    std::vector<double> values) {
  std::vector<TableAxis> axes;
  for (std::size_t i = 0; i < knots.size(); ++i) {
    require_ascending(options, i, knots[i]);
    if (knots[i].size() < 2)
      throw ConfigError(
          {fmt::format("the table '{}' has one place along {}", options.name, options.inputs[i]),
           "", "leave that input out, or give two places at least"});
    axes.emplace_back(std::move(knots[i]), options.outside);
  }
  if (options.outside == Outside::periodic)
    for (std::size_t i = 0; i < axes.size(); ++i) require_period(options, i, axes, values);
  return std::make_shared<GridTable>(std::move(options), std::move(axes), std::move(values));
}

}  // namespace pinn
