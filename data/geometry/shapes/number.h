#pragma once
#include <algorithm>
#include <cmath>
#include <string>

/// The numbers that the distance of a shape is written for, once: double, Dual, which brings the
/// slope along a line, and Spelled (data/geometry/shapes/spelled.h), the formula as text.
namespace pinn::shapes {

inline double square(double a) { return a * a; }
inline double root(double a) { return std::sqrt(a); }
inline double magnitude(double a) { return std::fabs(a); }
inline double least(double a, double b) { return b < a ? b : a; }
inline double most(double a, double b) { return b > a ? b : a; }
inline double sine(double a) { return std::sin(a); }
inline double cosine(double a) { return std::cos(a); }
/// Safe divisor from a number that was not less than 0.
inline double divisor(double a) { return a + 1e-100; }
/// 1 where a < b, else 0: of a shape's numbers, never of a place.
inline double is_less(double a, double b) { return a < b ? 1 : 0; }

/// A number and how fast it grows along a line. At a tie the first one's slope is taken, at a kink
/// of a magnitude that of the upper side, and at the root of 0 none.
struct Dual {
  double value = 0, slope = 0;
  Dual(double number = 0, double rate = 0) : value(number), slope(rate) {}
};

inline Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
inline Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
inline Dual operator-(Dual a) { return {-a.value, -a.slope}; }
inline Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
inline Dual operator/(Dual a, Dual b) {
  const double quotient = a.value / b.value;
  return {quotient, (a.slope - quotient * b.slope) / b.value};
}
inline Dual square(Dual a) { return a * a; }
inline Dual root(Dual a) {
  const double value = std::sqrt(a.value);
  return {value, value > 0 ? a.slope / (2 * value) : 0};
}
inline Dual magnitude(Dual a) { return a.value < 0 ? -a : a; }
inline Dual least(Dual a, Dual b) { return b.value < a.value ? b : a; }
inline Dual most(Dual a, Dual b) { return b.value > a.value ? b : a; }
inline Dual sine(Dual a) { return {std::sin(a.value), std::cos(a.value) * a.slope}; }
inline Dual cosine(Dual a) { return {std::cos(a.value), -std::sin(a.value) * a.slope}; }
inline Dual divisor(Dual a) { return {divisor(a.value), a.slope}; }
inline Dual is_less(Dual a, Dual b) { return is_less(a.value, b.value); }

}  // namespace pinn::shapes
