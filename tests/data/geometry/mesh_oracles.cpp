#include <cmath>

#include "tests/data/geometry/meshes.h"

namespace pinn::test {
namespace {

using Long = long double;
using Vector = std::array<Long, 3>;

Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Long dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector of(const Point3& p) { return {p[0], p[1], p[2]}; }

/// The distance to a segment from the origin.
Long to_segment(const Vector& a, const Vector& b) {
  const Vector ab = minus(b, a);
  const Long along = std::clamp<Long>(-dot(a, ab) / dot(ab, ab), 0, 1);
  const Vector p = {a[0] + along * ab[0], a[1] + along * ab[1], a[2] + along * ab[2]};
  return std::sqrt(dot(p, p));
}

/// The corners of a triangle as seen from x.
std::array<Vector, 3> seen(const SurfaceMesh& mesh, const std::array<int, 3>& t, const Point3& x) {
  return {minus(of(mesh.points[t[0]]), of(x)), minus(of(mesh.points[t[1]]), of(x)),
          minus(of(mesh.points[t[2]]), of(x))};
}

}  // namespace

Moments moments(const SurfaceMesh& mesh) {
  Long volume = 0, area = 0;
  Vector center{};
  for (const auto& t : mesh.triangles) {
    const auto [a, b, c] = seen(mesh, t, {0, 0, 0});
    const Long part = dot(a, cross(b, c)) / 6;
    const Vector n = cross(minus(b, a), minus(c, a));
    volume += part;
    area += std::sqrt(dot(n, n)) / 2;
    for (int k = 0; k < 3; ++k) center[k] += part * (a[k] + b[k] + c[k]) / 4;
  }
  return {double(volume),
          double(area),
          {double(center[0] / volume), double(center[1] / volume), double(center[2] / volume)}};
}

double plain_distance(const SurfaceMesh& mesh, const Point3& x) {
  Long least = HUGE_VALL;
  for (const auto& t : mesh.triangles) {
    const auto [a, b, c] = seen(mesh, t, x);
    const Vector n = cross(minus(b, a), minus(c, a));
    const bool over =
        dot(cross(a, b), n) >= 0 && dot(cross(b, c), n) >= 0 && dot(cross(c, a), n) >= 0;
    if (over) least = std::min(least, std::fabs(dot(a, n)) / std::sqrt(dot(n, n)));
    least = std::min({least, to_segment(a, b), to_segment(b, c), to_segment(c, a)});
  }
  return double(least);
}

double plain_winding(const SurfaceMesh& mesh, const Point3& x) {
  Long sum = 0;
  for (const auto& t : mesh.triangles) {
    const auto [a, b, c] = seen(mesh, t, x);
    const Long la = std::sqrt(dot(a, a)), lb = std::sqrt(dot(b, b)), lc = std::sqrt(dot(c, c));
    sum += 2 * std::atan2(dot(a, cross(b, c)),
                          la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return double(sum / (4 * 3.14159265358979323846264338327950288L));
}

}  // namespace pinn::test
