#include "data/geometry/mesh/surface.h"

#include "data/geometry/mesh/crossing.h"
#include "data/geometry/mesh/rays.h"

namespace pinn::mesh {
namespace {

/// The angle between two directions.
double angle(const Vector& a, const Vector& b) {
  return std::atan2(length(cross(a, b)), dot(a, b));
}

/// Sums of the normals of the faces at each point, times their angles there.
std::vector<Vector> corner_normals(const SurfaceMesh& mesh) {
  std::vector<Vector> sums(mesh.points.size(), Vector{});
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto& triangle = mesh.triangles[i];
    const Corners t = corners_of(mesh, i);
    const Vector n = unit(area_normal(t));
    for (int k = 0; k < 3; ++k) {
      Vector& sum = sums[std::size_t(triangle[k])];
      sum = sum + angle(t[(k + 1) % 3] - t[k], t[(k + 2) % 3] - t[k]) * n;
    }
  }
  return sums;
}

}  // namespace

int passage(const Corners& t, const Vector& x, Way way) {
  const int i = (way.axis + 1) % 3, j = (way.axis + 2) % 3;
  Corners r;
  for (int k = 0; k < 3; ++k) r[k] = t[k] - x;
  double area[3], size[3];  // of the shadow of each side and the ray, and of what it is made of
  int left = 0, right = 0;
  for (int k = 0; k < 3; ++k) {
    const Vector &a = r[(k + 1) % 3], &b = r[(k + 2) % 3];
    const double first = a[i] * b[j], second = a[j] * b[i];
    area[k] = first - second;
    size[k] = std::fabs(first) + std::fabs(second);
    const double error = 8 * epsilon * size[k];
    left += area[k] > error;
    right += area[k] < -error;
  }
  if (left > 0 && right > 0) return 0;
  double height = 0, error = 0;  // above x, times the area of the shadow
  for (int k = 0; k < 3; ++k) {
    height += area[k] * r[k][way.axis];
    error += size[k] * std::fabs(r[k][way.axis]);
  }
  error *= 16 * epsilon;
  const bool turned = right > 0;
  const bool sure_behind = [&] {  // of a triangle that is behind x as a whole
    for (int k = 0; k < 3; ++k)
      if (way.up ? r[k][way.axis] >= 0 : r[k][way.axis] <= 0) return false;
    return true;
  }();
  if (sure_behind) return 0;
  if (left < 3 && right < 3) return unsure;
  if (std::fabs(height) <= error) return unsure;
  const bool above = (height > 0) != turned;
  if (above != way.up) return 0;
  return turned == way.up ? -1 : 1;
}

Surface::Surface(SurfaceMesh mesh, Edges edges, Bvh bvh)
    : mesh_(std::move(mesh)),
      edges_(std::move(edges)),
      bvh_(std::move(bvh)),
      corner_normals_(corner_normals(mesh_)) {
  double largest = 0;
  for (const Vector& x : mesh_.points) {
    extent_.add(x);
    for (const double c : x) largest = std::max(largest, std::fabs(c));
  }
  rounding_ = 8 * epsilon * largest;
}

Vector Surface::face_normal(int triangle) const {
  return unit(area_normal(corners_of(mesh_, std::size_t(triangle))));
}

Vector Surface::normal_of(const Nearest& nearest) const {
  const int triangle = bvh_.order()[std::size_t(nearest.triangle)];
  if (nearest.feature == Feature::face) return face_normal(triangle);
  if (nearest.feature < Feature::corner_0) {
    const int side = 3 * triangle + int(nearest.feature) - int(Feature::side_0);
    return face_normal(triangle) + face_normal(triangle_of(edges_.other[std::size_t(side)]));
  }
  const int corner = int(nearest.feature) - int(Feature::corner_0);
  return corner_normals_[std::size_t(from(mesh_, 3 * triangle + corner))];
}

bool Surface::outside_of(const Nearest& nearest, const Vector& x) const {
  const Vector n = normal_of(nearest), away = x - nearest.point;
  const double along = dot(n, away);
  if (std::fabs(along) < 1e-9 * length(n) * length(away))  // along a knife's edge
    if (const auto inside = inside_by_rays(x)) return !*inside;
  return along > 0;
}

bool Surface::beside(const Vector& x) const {
  for (int k = 0; k < 3; ++k)
    if (!(x[k] >= extent_.lower[k] && x[k] <= extent_.upper[k])) return true;  // NaN, too
  return false;
}

std::optional<bool> Surface::inside_by_rays(const Vector& x) const {
  Way ways[3];
  double out[3];
  for (int k = 0; k < 3; ++k) {
    const double up = extent_.upper[k] - x[k], down = x[k] - extent_.lower[k];
    ways[k] = {k, up < down};
    out[k] = std::min(up, down);
  }
  if (out[1] < out[0]) std::swap(out[0], out[1]), std::swap(ways[0], ways[1]);
  if (out[2] < out[0]) std::swap(out[0], out[2]), std::swap(ways[0], ways[2]);
  for (const Way& way : ways)
    if (const auto turns = winding(bvh_, x, way, [](int) { return true; })) return *turns > 0;
  return std::nullopt;
}

bool Surface::inside(const Vector& x) const {
  if (beside(x)) return false;
  if (const auto inside = inside_by_rays(x)) return *inside;
  return distance(x) <= 0;
}

double Surface::distance(const Vector& x) const {
  const Nearest nearest = bvh_.nearest(x);
  const double size = std::sqrt(nearest.square);
  if (nearest.triangle < 0 || !(size > rounding_)) return nearest.triangle < 0 ? NAN : 0;
  return outside_of(nearest, x) ? size : -size;
}

Vector Surface::normal(const Vector& x) const {
  const Nearest nearest = bvh_.nearest(x);
  if (nearest.triangle < 0) return {NAN, NAN, NAN};
  const double size = std::sqrt(nearest.square), near = 64 * rounding_;
  if (size <= near) return first_normal_around(x, size + near);
  const Vector away = unit(x - nearest.point);
  return outside_of(nearest, x) ? away : -1.0 * away;
}

Vector Surface::first_normal_around(const Vector& x, double distance) const {
  std::array<int, 2> first = {int(mesh_.patches.size()), 0};
  const auto near = [&](const Bvh::Node& n) {
    for (int k = 0; k < 3; ++k)
      if (x[k] < n.lower[k] - distance || x[k] > n.upper[k] + distance) return false;
    return true;
  };
  bvh_.walk(near, [&](int place) {
    const int triangle = bvh_.order()[std::size_t(place)];
    if (nearest_on(bvh_.corners()[std::size_t(place)], x).square <= distance * distance)
      first = std::min(first, {mesh_.patch[std::size_t(triangle)], triangle});
    return true;
  });
  return face_normal(first[1]);
}

}  // namespace pinn::mesh
