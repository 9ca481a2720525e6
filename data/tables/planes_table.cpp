#include <fmt/format.h>

#include <array>
#include <cmath>

#include "autograd/core/error.h"
#include "data/tables/scattered_base.h"
#include "data/tables/scattered_table.h"

namespace pinn {
namespace {

/// A number and how it changes in one direction; nested, for derivatives of higher order.
template <class T> struct Dual {
  T value{}, slope{};

  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.slope + b.slope};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T ratio = a.value / b.value;
    return {ratio, (a.slope - ratio * b.slope) / b.value};
  }
};

/// A number that changes in direction k where seeds[k].
template <class T> T seeded(double x, const bool* seeds) {
  if constexpr (std::is_same_v<T, double>)
    return x;
  else
    return {seeded<decltype(T::value)>(x, seeds + 1),
            seeded<decltype(T::value)>(*seeds ? 1 : 0, std::array<bool, 4>{}.data())};
}

/// Change of x in all directions together.
template <class T> double last_slope(const T& x) {
  if constexpr (std::is_same_v<T, double>)
    return x;
  else
    return last_slope(x.slope);
}

class PlanesTable : public ScatteredTable {
 public:
  PlanesTable(const TableOptions& options, const std::vector<double>& points,
              const std::vector<double>& values)
      : ScatteredTable(options, points, values) {
    for (std::size_t p = 0; p < values_.size(); ++p) slopes_.push_back(fitted(p));
  }
  /// Formulas ask for the first derivative, a gradient and a product with the Hessian of those for
  /// one more each.
  bool vanishes(const MultiIndex& order) const override { return pinn::order(order) > 3; }

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

  /// Solution of positive equations; a direction in which no point lies has no slope.
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
    switch (pinn::order(order)) {
      case 2:
        return turning<Dual<Dual<double>>>(order, at);
      case 3:
        return turning<Dual<Dual<Dual<double>>>>(order, at);
    }
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

  /// A derivative of second or third order, between the places where the nearest points change.
  template <class T> double turning(const MultiIndex& order, const Place& at) const {
    std::array<bool, 4> seeds[most] = {};
    double lengths = 1;
    for (std::size_t i = 0, k = 0; i < d_; ++i)
      for (int times = 0; times < order[i]; ++times, ++k) {
        seeds[i][k] = true;
        lengths *= length(i);
      }
    const std::vector<PointTree::Near> near = tree_->nearest(place(at), blended() + 1);
    if (near[0].distance < 1e-24) return 0;  // a plane is met up to the fourth order
    const auto number = [](double x) { return seeded<T>(x, std::array<bool, 4>{}.data()); };
    std::array<T, most> x;
    for (std::size_t i = 0; i < d_; ++i) x[i] = seeded<T>(at[i], seeds[i].data());
    const auto step = [&](std::size_t point, std::size_t i) {
      return x[i] - number(points_[point * d_ + i]);
    };
    const auto distance = [&](std::size_t point) {
      T s = number(0);
      for (std::size_t i = 0; i < d_; ++i) s = s + step(point, i) * step(point, i);
      return s;
    };
    const T one = number(1), all = one / distance(near.back().point);
    T sum = number(0), weights = number(0);
    for (std::size_t k = 0; k + 1 < near.size(); ++k) {  // the last one's weight is 0
      const std::size_t point = near[k].point;
      T plane = number(values_[point]);
      for (std::size_t i = 0; i < d_; ++i)
        plane = plane + number(slopes_[point][i]) * step(point, i);
      const T root = one / distance(point) - all;
      sum = sum + root * root * plane;
      weights = weights + root * root;
    }
    return last_slope(sum / weights) / lengths;
  }

  std::vector<Place> slopes_;  ///< of the planes, in units of the ranges
};

}  // namespace

TablePtr planes_table(const TableOptions& options, const std::vector<double>& points,
                      const std::vector<double>& values) {
  const std::size_t least = options.inputs.size() + 2;
  if (values.size() < least)
    throw ConfigError({fmt::format("the table '{}' has {} points", options.name, values.size()), "",
                       fmt::format("give {} at least", least)});
  return std::make_shared<PlanesTable>(options, points, values);
}

}  // namespace pinn
