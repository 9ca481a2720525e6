#pragma once
#include <cmath>
#include <utility>

namespace pinn::shapes {

/// The root of a rising function between two numbers, to rounding: Newton's steps, and halves where
/// they leave what is known of the place. `at` gives the function and its slope.
template <class At> double rising_root(double lower, double upper, double start, const At& at) {
  double t = start;
  for (int again = 0; again < 100; ++again) {
    const auto [value, slope] = at(t);
    (value > 0 ? upper : lower) = t;
    const double step = value / slope;
    if (std::fabs(step) <= 1e-15 * std::fabs(t)) return t;
    const double next = t - step;
    t = next > lower && next < upper ? next : (lower + upper) / 2;
  }
  return t;
}

}  // namespace pinn::shapes
