#include "data/geometry/shapes/arcs.h"

#include <algorithm>
#include <cmath>

#include "data/geometry/measure.h"
#include "data/geometry/samplers.h"
#include "data/geometry/shapes/ellipsoid.h"

namespace pinn::shapes {
namespace {

const std::vector<GaussPoint>& gauss() {
  static const std::vector<GaussPoint> all = gauss_points(16);
  return all;
}

}  // namespace

InverseIntegral::InverseIntegral(std::function<double(double)> f, std::vector<double> knots)
    : f_(std::move(f)), knots_(std::move(knots)) {
  double sum = 0;
  for (std::size_t k = 0; k + 1 < knots_.size(); ++k)
    sums_.push_back(sum += over(knots_[k], knots_[k + 1]));
}

double InverseIntegral::over(double from, double to) const {
  const double half = (to - from) / 2, middle = (from + to) / 2;
  double sum = 0;
  for (const auto& [x, weight] : gauss()) sum += weight * f_(middle + half * x);
  return half * sum;
}

double InverseIntegral::place(double share) const {
  const auto [k, part] = share_of(sums_, share);
  const double from = knots_[k], to = knots_[k + 1];
  const double aim = part * (sums_[k] - (k == 0 ? 0 : sums_[k - 1]));
  return rising_root(from, to, from + part * (to - from), [&](double t) {
    return std::pair{over(from, t) - aim, f_(t)};
  });
}

std::vector<double> knots_of(double k_first, double k_last) {
  const auto half = [](double k) {
    const int parts = 2 + int(std::ceil(std::asinh(1 / k)));
    std::vector<double> knots;
    for (int n = 0; n <= parts; ++n)
      knots.push_back(k >= 1 ? std::numbers::pi / 4 * n / parts
                             : std::atan(k * std::sinh(std::asinh(1 / k) * n / parts)));
    return knots;
  };
  std::vector<double> knots = half(k_first), last = half(k_last);
  knots.back() = std::numbers::pi / 4;
  for (std::size_t n = last.size() - 1; n-- > 0;) knots.push_back(std::numbers::pi / 2 - last[n]);
  return knots;
}

InverseIntegral quarter_arc(double a, double b) {
  return {[=](double t) {
            const double x = a * std::sin(t), y = b * std::cos(t);
            return std::sqrt(x * x + y * y);
          },
          knots_of(b / a, a / b)};
}

/// a E(1 - b^2 / a^2), by the arithmetic-geometric mean.
double quarter_length(double a, double b) {
  double x = std::max(a, b), y = std::min(a, b), power = 0.5, sum = 0;
  const double large = x;
  sum += power * (x * x - y * y);
  for (int k = 0; k < 40 && x - y > 1e-16 * x; ++k) {
    const double middle = (x + y) / 2, root = std::sqrt(x * y), c = (x - y) / 2;
    power *= 2;
    sum += power * c * c;
    x = middle;
    y = root;
  }
  return std::numbers::pi / 2 / x * (large * large - sum);
}

}  // namespace pinn::shapes
