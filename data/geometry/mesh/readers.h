#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "data/geometry/mesh.h"
#include "data/geometry/mesh/source.h"
#include "data/geometry/mesh/vector.h"

namespace pinn::mesh {

/// Takes what a reader finds.
class Collector {
 public:
  explicit Collector(const Source& source) { mesh_.name = source.path; }

  /// Triangles from here on belong to the patch of that name, "" to none.
  void enter_patch(const std::string& name);
  void add_point(const Vector& x) { mesh_.points.push_back(x); }
  /// Polygons of three corners or more are cut into a fan.
  void add_polygon(std::span<const int> corners);
  void expect(std::size_t points, std::size_t triangles);

  std::size_t points() const { return mesh_.points.size(); }
  SurfaceMesh& mesh() { return mesh_; }

 private:
  SurfaceMesh mesh_;
  std::unordered_map<std::string, int> patches_{{"", 0}};
  int patch_ = 0;
};

/// The readers of the formats: points as the file has them, of which several may be equal.
/// errors: ConfigError
SurfaceMesh read_stl(const Source& source);
SurfaceMesh read_obj(const Source& source);
SurfaceMesh read_ply(const Source& source);
SurfaceMesh read_gmsh(const Source& source);

/// Bytes by which an STL file is known.
inline constexpr std::size_t stl_beginning = 1024;
/// Refuses a file of so many bytes, before all of it is read, that is no STL file by its beginning.
/// Errors: ConfigError
void judge_stl(const Source& beginning, std::uint64_t size);

/// The surface in the bytes of a file that is called so. Errors: ConfigError
SurfaceMesh mesh_of(const Source& source, double scale);

/// Makes one point of those with equal coordinates.
void merge_points(SurfaceMesh& mesh);

}  // namespace pinn::mesh
