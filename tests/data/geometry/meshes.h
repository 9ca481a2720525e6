#pragma once
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "data/geometry/mesh.h"
#include "tests/dice.h"

namespace pinn::test {

using Point3 = std::array<double, 3>;

/// A cuboid of twelve triangles, each face a patch: x0, x1, y0, y1, z0, z1.
SurfaceMesh box_mesh(const Point3& lower = {0, 0, 0}, const Point3& upper = {1, 1, 1});
/// An icosahedron whose triangles are quartered so often, on the unit sphere.
SurfaceMesh sphere_mesh(int quarterings);
/// A torus around z of so many pieces around and across.
SurfaceMesh torus_mesh(int around, int across, double large = 1, double small = 0.4);

/// x -> size * turned x + shift, by angles around z and x.
SurfaceMesh moved(SurfaceMesh mesh, double size, double around_z, double around_x,
                  const Point3& shift);
/// Both, side by side in one mesh; points are not shared.
SurfaceMesh together(const SurfaceMesh& a, const SurfaceMesh& b);
/// All triangles turned round.
SurfaceMesh inside_out(SurfaceMesh mesh);

/// A mesh as the text, or the bytes, of a file.
std::string stl_text(const SurfaceMesh& mesh);
std::string stl_binary(const SurfaceMesh& mesh);
std::string obj_text(const SurfaceMesh& mesh);
enum class Bytes { text, little, big };
std::string ply_file(const SurfaceMesh& mesh, Bytes bytes);
std::string gmsh_2_file(const SurfaceMesh& mesh, bool binary);
std::string gmsh_4_file(const SurfaceMesh& mesh, bool binary);

/// Appends the bytes of a number.
template <class T> void put(std::string& to, T value, bool big_endian = false) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  if (big_endian) std::reverse(bytes, bytes + sizeof(T));
  to.append(bytes, sizeof(T));
}

/// The exact volume, area and center of volume of a polyhedron, by sums over its triangles.
struct Moments {
  double volume = 0, area = 0;
  Point3 center{};
};
Moments moments(const SurfaceMesh& mesh);

/// The distance to a triangle mesh by looking at all triangles, in more digits.
double plain_distance(const SurfaceMesh& mesh, const Point3& x);
/// The winding number by summing solid angles; source: van Oosterom, Strackee (1983), IEEE
/// Transactions on Biomedical Engineering 30, 125-126.
double plain_winding(const SurfaceMesh& mesh, const Point3& x);

}  // namespace pinn::test
