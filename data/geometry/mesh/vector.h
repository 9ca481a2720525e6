#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace pinn::mesh {

/// A point, or a direction, of space.
using Vector = std::array<double, 3>;

inline Vector operator+(const Vector& a, const Vector& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vector operator-(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vector operator*(double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vector& a) { return std::sqrt(dot(a, a)); }
/// Unit vector along a; zero stays zero.
inline Vector unit(const Vector& a) {
  const double size = length(a);
  return size > 0 ? (1 / size) * a : a;
}
inline Vector vector_of(std::span<const double> x) {
  Vector v{};
  std::copy_n(x.begin(), std::min<std::size_t>(x.size(), 3), v.begin());
  return v;
}

/// A triangle by its corners.
using Corners = std::array<Vector, 3>;

/// The normal of a triangle, twice its area long.
inline Vector area_normal(const Corners& t) { return cross(t[1] - t[0], t[2] - t[0]); }

/// A box that grows with what is put into it; empty at first.
struct Extent {
  Vector lower{HUGE_VAL, HUGE_VAL, HUGE_VAL}, upper{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};

  void add(const Vector& x) {
    for (int k = 0; k < 3; ++k) {
      lower[k] = std::min(lower[k], x[k]);
      upper[k] = std::max(upper[k], x[k]);
    }
  }
  void add(const Extent& other) { add(other.lower), add(other.upper); }
  Vector size() const { return upper - lower; }
  /// Half the area of its faces; 0 when empty.
  double half_area() const {
    const Vector s = size();
    return s[0] < 0 ? 0 : s[0] * s[1] + s[1] * s[2] + s[2] * s[0];
  }
};

}  // namespace pinn::mesh
