#pragma once
#include "data/geometry/mesh.h"
#include "data/geometry/mesh/readers.h"
#include "tests/campaign/harness.h"

namespace pinn::test {

/// Reads bytes as a mesh, in a file that is called so, and checks what becomes of it.
inline int try_mesh(const char* name, const std::uint8_t* bytes, std::size_t size) {
  const WarningSink quiet([](const std::string&) {});
  SurfaceMesh read;
  if (!is_read([&] { read = mesh::mesh_of({name, text_of(bytes, size)}, 1); })) return 0;
  const std::size_t triangles = read.triangles.size();
  if (read.patch.size() != triangles) broken("each triangle is in a patch", name);
  if (triangles > size) broken("a triangle takes a byte or more", name);
  for (const auto& triangle : read.triangles)
    for (const int corner : triangle)
      if (corner < 0 || corner >= int(read.points.size())) broken("corners are points", name);
  for (const int patch : read.patch)
    if (patch < 0 || patch >= int(read.patches.size())) broken("patches have names", name);
  ShapePtr shape;
  if (!is_read([&] { shape = make_mesh(read); })) return 0;
  if (shape->surface().empty()) broken("a body has a surface", name);
  for (const auto& piece : shape->surface()) {
    std::array<double, 3> x{}, n{};
    piece->sample(std::array{0.3, 0.6}, x, n);
    const double size = shape->bounds()[0].upper - shape->bounds()[0].lower +
                        shape->bounds()[1].upper - shape->bounds()[1].lower +
                        shape->bounds()[2].upper - shape->bounds()[2].lower;
    if (!(std::fabs(shape->distance(x)) <= 1e-6 * size)) broken("points lie on the surface", name);
  }
  return 0;
}

}  // namespace pinn::test
