#include "data/tables/axis.h"

#include <algorithm>
#include <cmath>

namespace pinn {

const char* name_of(Interpolation interpolation) {
  constexpr const char* names[] = {"nearest", "linear", "cubic"};
  return names[int(interpolation)];
}

const char* name_of(Outside outside) {
  constexpr const char* names[] = {"error", "clamp", "periodic"};
  return names[int(outside)];
}

TableAxis::TableAxis(std::vector<double> knots, Outside outside)
    : knots_(std::move(knots)), outside_(outside) {
  const double length = upper() - lower();
  slack_ = 1e-6 * length + 2e-7 * std::max(std::fabs(lower()), std::fabs(upper()));
}

bool TableAxis::contains(double x) const {
  return outside_ == Outside::periodic || (x >= lower() - slack_ && x <= upper() + slack_);
}

TableAxis::Place TableAxis::find(double x) const {
  Place place;
  if (size() < 2) return place;
  if (outside_ == Outside::periodic) {
    const double period = upper() - lower();
    x -= period * std::floor((x - lower()) / period);
  }
  place.beyond = !contains(x);
  x = std::clamp(x, lower(), upper());
  const auto above = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, x);
  place.cell = std::size_t(above - knots_.begin()) - 1;
  place.length = knots_[place.cell + 1] - knots_[place.cell];
  place.share = (x - knots_[place.cell]) / place.length;
  return place;
}

namespace {

/// Slopes of the spline with not-a-knot ends through at least four points: a tridiagonal system.
std::vector<double> not_a_knot(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  const auto h = [&](std::size_t i) { return x[i + 1] - x[i]; };
  const auto rise = [&](std::size_t i) { return (y[i + 1] - y[i]) / h(i); };
  std::vector<double> below(n), diagonal(n), above(n), s(n);
  const double first = x[2] - x[0], last = x[n - 1] - x[n - 3];
  diagonal[0] = h(1);
  above[0] = first;
  s[0] = ((h(0) + 2 * first) * h(1) * rise(0) + h(0) * h(0) * rise(1)) / first;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    below[i] = h(i);
    diagonal[i] = 2 * (h(i - 1) + h(i));
    above[i] = h(i - 1);
    s[i] = 3 * (h(i) * rise(i - 1) + h(i - 1) * rise(i));
  }
  const double end = h(n - 2), before = h(n - 3);
  below[n - 1] = last;
  diagonal[n - 1] = before;
  s[n - 1] = (end * end * rise(n - 3) + (2 * last + end) * before * rise(n - 2)) / last;
  for (std::size_t i = 1; i < n; ++i) {
    const double factor = below[i] / diagonal[i - 1];
    diagonal[i] -= factor * above[i - 1];
    s[i] -= factor * s[i - 1];
  }
  s[n - 1] /= diagonal[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) s[i] = (s[i] - above[i] * s[i + 1]) / diagonal[i];
  return s;
}

/// The same with a period. What an end does to a slope is divided by about 3.7 per knot, so ends
/// that are 32 knots away do nothing.
std::vector<double> with_period(const std::vector<double>& x, const std::vector<double>& y) {
  constexpr long far = 32;
  const long cells = long(x.size()) - 1;
  const double period = x.back() - x.front();
  std::vector<double> wide, values;
  for (long i = -far; i <= cells + far; ++i) {
    const long turns = i >= 0 ? i / cells : -((cells - 1 - i) / cells);
    const std::size_t k = std::size_t(i - turns * cells);
    wide.push_back(x[k] + double(turns) * period);
    values.push_back(y[k]);
  }
  const std::vector<double> slopes = not_a_knot(wide, values);
  std::vector<double> own(slopes.begin() + far, slopes.begin() + far + cells + 1);
  own.back() = own.front();
  return own;
}

}  // namespace

std::vector<double> spline_slopes(const std::vector<double>& x, const std::vector<double>& y,
                                  bool periodic) {
  const std::size_t n = x.size();
  if (n < 2) return std::vector<double>(n, 0.0);
  if (periodic) return with_period(x, y);
  const auto rise = [&](std::size_t i) { return (y[i + 1] - y[i]) / (x[i + 1] - x[i]); };
  if (n == 2) return {rise(0), rise(0)};
  if (n > 3) return not_a_knot(x, y);
  const double bend = (rise(1) - rise(0)) / (x[2] - x[0]);
  return {rise(0) - bend * (x[1] - x[0]), rise(0) + bend * (x[1] - x[0]),
          rise(1) + bend * (x[2] - x[1])};
}

}  // namespace pinn
