#pragma once
#include "data/geometry/mesh/vector.h"

/// Signs of determinants of coordinates that are right whatever rounding does: computed with a
/// bound of their error first, and without error where that does not tell.
///
///   source   Shewchuk (1997), Adaptive Precision Floating-Point Arithmetic and Fast Robust
///            Geometric Predicates, Discrete & Computational Geometry 18, 305-363
namespace pinn::mesh {

inline constexpr double epsilon = 0x1p-53;  ///< what rounding to double comes to, relatively

/// The sign of a determinant, or `unsure` where a bound of its error does not tell.
inline constexpr int unsure = 2;

inline int sign_beyond(double value, double error) {
  return value > error ? 1 : value < -error ? -1 : error == 0 ? 0 : unsure;
}

/// The sign of det(a - d, b - d, c - d): 1 where a, b and c run clockwise as seen from d.
int side_of(const Vector& a, const Vector& b, const Vector& c, const Vector& d);
/// As side_of, or `unsure`.
int likely_side_of(const Vector& a, const Vector& b, const Vector& c, const Vector& d);

/// The sign of the area of a triangle in the plane of two coordinates: 1 where a, b, c run
/// counter-clockwise with coordinate i to the right and j up.
int turn_of(const Vector& a, const Vector& b, const Vector& c, int i, int j);

}  // namespace pinn::mesh
