#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>

#include "autograd/core/error.h"
#include "data/files/disk.h"
#include "data/geometry/mesh/readers.h"

namespace pinn {
namespace mesh {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t(1) << 32;  ///< of 80 million triangles, as STL
constexpr double largest = 1e50;  // products of six coordinates must be numbers

std::size_t hash(const Vector& x) {
  std::uint64_t h = 0;
  for (const double c : x) {
    h = (h ^ std::bit_cast<std::uint64_t>(c)) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

/// The numbers of points, found by their coordinates.
class PointTable {
 public:
  explicit PointTable(std::vector<Vector>& points) : points_(points), slots_(1 << 12, -1) {}

  /// The number of the point with these coordinates, a new one if there is none.
  int number(const Vector& x) {
    if (2 * points_.size() > slots_.size()) grow();
    int& slot = slot_of(x);
    if (slot < 0) {
      slot = int(points_.size());
      points_.push_back(x);
    }
    return slot;
  }

 private:
  int& slot_of(const Vector& x) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash(x) & mask;
    while (slots_[at] >= 0 && points_[std::size_t(slots_[at])] != x) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    slots_.assign(4 * slots_.size(), -1);
    for (std::size_t i = 0; i < points_.size(); ++i) slot_of(points_[i]) = int(i);
  }

  std::vector<Vector>& points_;
  std::vector<int> slots_;
};

std::string ending(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  std::string end = dot == path.npos || path.find('/', dot) != path.npos ? "" : path.substr(dot);
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return end;
}

using Reader = SurfaceMesh (*)(const Source&);

Reader reader_of(const std::string& path) {
  const std::string end = ending(path);
  if (end == ".stl") return read_stl;
  if (end == ".obj") return read_obj;
  if (end == ".ply") return read_ply;
  if (end == ".msh") return read_gmsh;
  throw ConfigError({fmt::format("no format of meshes is known by the ending '{}'", end), path,
                     "name a file that ends in .stl, .obj, .ply or .msh"});
}

/// Makes coordinates fit to be computed with: scaled, and 0 has one sign.
void scale_points(SurfaceMesh& mesh, double scale) {
  double size = 0;
  for (Vector& x : mesh.points)
    for (double& c : x) {
      c = c * scale + 0.0;
      size = std::max(size, std::fabs(c));
    }
  if (!(size <= largest))
    throw ConfigError({fmt::format("a coordinate of the mesh is {:.3g}", size), mesh.name,
                       "choose `scale` so that the body's size is nearer to 1"});
}

}  // namespace

void Collector::enter_patch(const std::string& name) {
  const auto [at, is_new] = patches_.emplace(name, int(mesh_.patches.size()));
  if (is_new) mesh_.patches.push_back(name);
  patch_ = at->second;
}

void Collector::add_polygon(std::span<const int> corners) {
  for (std::size_t k = 2; k < corners.size(); ++k) {
    mesh_.triangles.push_back({corners[0], corners[k - 1], corners[k]});
    mesh_.patch.push_back(patch_);
  }
}

void Collector::expect(std::size_t points, std::size_t triangles) {
  mesh_.points.reserve(points);
  mesh_.triangles.reserve(triangles);
  mesh_.patch.reserve(triangles);
}

void merge_points(SurfaceMesh& mesh) {
  std::vector<Vector> points;
  PointTable table(points);
  for (auto& triangle : mesh.triangles)
    for (int& corner : triangle) corner = table.number(mesh.points[std::size_t(corner)]);
  mesh.points = std::move(points);
}

SurfaceMesh mesh_of(const Source& source, double scale) {
  if (!(std::isfinite(scale) && scale > 0))
    throw ConfigError(
        {fmt::format("a mesh cannot be scaled by {}", scale), "scale", "give a number above 0"});
  SurfaceMesh mesh = reader_of(source.path)(source);
  if (mesh.triangles.empty())
    throw ConfigError({"the file holds no triangles", source.path,
                       "export the surface of the body as triangles"});
  if (mesh.triangles.size() > (1u << 29))
    throw ConfigError({fmt::format("the mesh has {} triangles", mesh.triangles.size()), source.path,
                       "use a coarser mesh: at most 500 million are allowed"});
  scale_points(mesh, scale);
  merge_points(mesh);
  return mesh;
}

}  // namespace mesh

SurfaceMesh read_mesh(const std::string& path, double scale) try {
  if (mesh::ending(path) == ".stl") {
    const OpenFile file(path);
    const std::string beginning = file.beginning(mesh::stl_beginning);
    mesh::judge_stl({path, beginning}, file.size());
  }
  const std::string bytes = read_file(path, mesh::most_bytes, "use a coarser mesh");
  return mesh::mesh_of({path, bytes}, scale);
} catch (const FileError& error) {
  throw ConfigError(error.report);  // a mesh is part of the user's input
}

}  // namespace pinn
