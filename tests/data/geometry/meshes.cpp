#include "tests/data/geometry/meshes.h"

#include <cmath>
#include <map>

namespace pinn::test {
namespace {

Point3 unit(const Point3& a) {
  const double size = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  return {a[0] / size, a[1] / size, a[2] / size};
}

void add(SurfaceMesh& mesh, int a, int b, int c, int patch = 0) {
  mesh.triangles.push_back({a, b, c});
  mesh.patch.push_back(patch);
}

/// Each triangle becomes four; the middles of sides are new points, on the sphere.
SurfaceMesh quartered(const SurfaceMesh& mesh) {
  SurfaceMesh fine{.name = mesh.name, .points = mesh.points, .triangles = {}, .patch = {}};
  std::map<std::array<int, 2>, int> middles;
  const auto middle = [&](int a, int b) {
    const auto [at, is_new] =
        middles.emplace(std::array{std::min(a, b), std::max(a, b)}, int(fine.points.size()));
    if (is_new) {
      const Point3 &p = mesh.points[a], &q = mesh.points[b];
      fine.points.push_back(unit({p[0] + q[0], p[1] + q[1], p[2] + q[2]}));
    }
    return at->second;
  };
  for (const auto& [a, b, c] : mesh.triangles) {
    const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    add(fine, a, ab, ca), add(fine, ab, b, bc), add(fine, ca, bc, c), add(fine, ab, bc, ca);
  }
  return fine;
}

}  // namespace

SurfaceMesh box_mesh(const Point3& lower, const Point3& upper) {
  SurfaceMesh mesh{.name = "box",
                   .points = {},
                   .triangles = {},
                   .patch = {},
                   .patches = {"", "x0", "x1", "y0", "y1", "z0", "z1"}};
  for (int i = 0; i < 8; ++i)
    mesh.points.push_back(
        {i & 1 ? upper[0] : lower[0], i & 2 ? upper[1] : lower[1], i & 4 ? upper[2] : lower[2]});
  const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                           {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int f = 0; f < 6; ++f) {
    add(mesh, faces[f][0], faces[f][1], faces[f][2], f + 1);
    add(mesh, faces[f][0], faces[f][2], faces[f][3], f + 1);
  }
  return mesh;
}

SurfaceMesh sphere_mesh(int quarterings) {
  const double g = (1 + std::sqrt(5)) / 2;
  SurfaceMesh mesh{.name = "sphere", .points = {}, .triangles = {}, .patch = {}};
  for (const double s : {-1.0, 1.0})
    for (const double t : {-g, g}) mesh.points.push_back(unit({0, s, t}));
  for (const double s : {-1.0, 1.0})
    for (const double t : {-g, g}) mesh.points.push_back(unit({s, t, 0}));
  for (const double s : {-1.0, 1.0})
    for (const double t : {-g, g}) mesh.points.push_back(unit({t, 0, s}));
  const auto near = [&](int a, int b) {
    double square = 0;
    for (int k = 0; k < 3; ++k) square += std::pow(mesh.points[a][k] - mesh.points[b][k], 2);
    return square < 1.2;  // sides are 1.05 long, other distances 1.7
  };
  for (int a = 0; a < 12; ++a)
    for (int b = a + 1; b < 12; ++b)
      for (int c = b + 1; c < 12; ++c) {
        if (!near(a, b) || !near(b, c) || !near(c, a)) continue;
        const Point3 &p = mesh.points[a], &q = mesh.points[b], &r = mesh.points[c];
        const double volume = p[0] * (q[1] * r[2] - q[2] * r[1]) +
                              p[1] * (q[2] * r[0] - q[0] * r[2]) +
                              p[2] * (q[0] * r[1] - q[1] * r[0]);
        volume > 0 ? add(mesh, a, b, c) : add(mesh, a, c, b);
      }
  for (int i = 0; i < quarterings; ++i) mesh = quartered(mesh);
  return mesh;
}

SurfaceMesh torus_mesh(int around, int across, double large, double small) {
  SurfaceMesh mesh{.name = "torus", .points = {}, .triangles = {}, .patch = {}};
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double u = 2 * M_PI * i / around, v = 2 * M_PI * j / across,
                   r = large + small * std::cos(v);
      mesh.points.push_back({r * std::cos(u), r * std::sin(u), small * std::sin(v)});
    }
  const auto at = [&](int i, int j) { return (i % around) * across + j % across; };
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      add(mesh, at(i, j), at(i + 1, j), at(i + 1, j + 1));
      add(mesh, at(i, j), at(i + 1, j + 1), at(i, j + 1));
    }
  return mesh;
}

SurfaceMesh moved(SurfaceMesh mesh, double size, double around_z, double around_x,
                  const Point3& shift) {
  const double c = std::cos(around_z), s = std::sin(around_z), C = std::cos(around_x),
               S = std::sin(around_x);
  for (Point3& p : mesh.points) {
    const Point3 q = {c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]};
    p = {size * q[0] + shift[0], size * (C * q[1] - S * q[2]) + shift[1],
         size * (S * q[1] + C * q[2]) + shift[2]};
  }
  return mesh;
}

SurfaceMesh together(const SurfaceMesh& a, const SurfaceMesh& b) {
  SurfaceMesh both = a;
  const int points = int(a.points.size()), patches = int(a.patches.size());
  both.points.insert(both.points.end(), b.points.begin(), b.points.end());
  both.patches.insert(both.patches.end(), b.patches.begin() + 1, b.patches.end());
  for (std::size_t t = 0; t < b.triangles.size(); ++t)
    add(both, b.triangles[t][0] + points, b.triangles[t][1] + points, b.triangles[t][2] + points,
        b.patch[t] == 0 ? 0 : b.patch[t] + patches - 1);
  return both;
}

SurfaceMesh inside_out(SurfaceMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

}  // namespace pinn::test
