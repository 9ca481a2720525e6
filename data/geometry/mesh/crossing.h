#pragma once
#include <array>
#include <vector>

#include "data/geometry/mesh/bvh.h"
#include "data/geometry/mesh/vector.h"

namespace pinn::mesh {

/// Signs of determinants of coordinates that are right whatever rounding does: computed with a
/// bound of their error first, and without error where that does not tell.
///
///   source   Shewchuk (1997), Adaptive Precision Floating-Point Arithmetic and Fast Robust
///            Geometric Predicates, Discrete & Computational Geometry 18, 305-363

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

namespace pinn {

class ThreadPool;
struct SurfaceMesh;
}  // namespace pinn

namespace pinn::mesh {

/// True if two triangles, given by their corners and the numbers of these, meet anywhere but in the
/// corners and sides that they share: exactly.
bool meet(const Corners& s, const std::array<int, 3>& s_points, const Corners& t,
          const std::array<int, 3>& t_points);

/// Pairs of triangles of a surface that cross or touch each other, in the order of their numbers.
struct Crossings {
  std::vector<std::array<int, 2>> pairs;
  bool all = true;  ///< or more were not looked for
};

Crossings crossings_of(const SurfaceMesh& mesh, const Bvh& bvh, ThreadPool& pool);

}  // namespace pinn::mesh
