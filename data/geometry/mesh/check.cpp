#include "data/geometry/mesh/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/core/parallel.h"
#include "data/geometry/mesh/crossing.h"

namespace pinn::mesh {
namespace {

std::string plural(std::size_t n, const std::string& one, const std::string& many) {
  return n == 1 ? "1 " + one : fmt::format("{} {}", n, many);
}

/// Triangles with a corner twice are no part of a surface: their neighbors touch along them.
void drop_collapsed(SurfaceMesh& mesh) {
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto [a, b, c] = mesh.triangles[t];
    if (a == b || b == c || c == a) continue;
    mesh.triangles[kept] = mesh.triangles[t];
    mesh.patch[kept++] = mesh.patch[t];
  }
  if (const std::size_t dropped = mesh.triangles.size() - kept; dropped > 0)
    warn(fmt::format("{}: {} with a corner twice left out", mesh.name,
                     plural(dropped, "triangle", "triangles")));
  mesh.triangles.resize(kept);
  mesh.patch.resize(kept);
}

/// True if a triangle has no area, as far as its coordinates tell.
bool is_flat(const Corners& t) {
  const Vector ab = t[1] - t[0], bc = t[2] - t[1], ca = t[0] - t[2];
  const double longest = std::max({dot(ab, ab), dot(bc, bc), dot(ca, ca)});
  return length(area_normal(t)) <= 1e-15 * longest;
}

void find_flat(const SurfaceMesh& mesh, Mistakes& mistakes) {
  std::size_t count = 0;
  int first = 0;
  for (std::size_t t = mesh.triangles.size(); t-- > 0;)
    if (is_flat(corners_of(mesh, t))) ++count, first = int(t);
  if (count == 0) return;
  mistakes.add(
      plural(count, "triangle has no area: its corners lie on a line",
             "triangles have no area: their corners lie on lines"),
      first,
      "remove it together with the point within its longest side (Blender: Degenerate Dissolve; "
      "MeshLab: Remove T-Vertices), or make the mesh anew");
}

void find_duplicates(const SurfaceMesh& mesh, Mistakes& mistakes) {
  const auto pairs = duplicates(mesh);
  if (pairs.empty()) return;
  mistakes.add(
      fmt::format("{} the corners of another one; the first is triangle {}, as triangle {}",
                  plural(pairs.size(), "triangle has", "triangles have"), pairs[0][1] + 1,
                  pairs[0][0] + 1),
      pairs[0][1],
      "remove one of each two; where two bodies touch, both, for no wall is between them (MeshLab: "
      "Remove Duplicate Faces)");
}

void find_crowded(const Edges& edges, Mistakes& mistakes) {
  if (edges.crowded.empty()) return;
  mistakes.add(
      fmt::format("at {} more than two triangles meet; at the first one {}",
                  plural(edges.crowded.size(), "edge", "edges"), edges.most[0]),
      triangle_of(edges.crowded[0]),
      "remove walls within the body, and keep bodies apart that touch along an edge (MeshLab: "
      "Select Non Manifold Edges shows them)");
}

void find_turned(const Shells& shells, Mistakes& mistakes) {
  if (shells.one_sided)
    return mistakes.add("the surface has one side only, as a Moebius strip: no inside can be told",
                        0, "make the mesh anew, as the surface of a body");
  std::vector<int> turned(std::size_t(shells.count()), 0);
  for (std::size_t t = 0; t < shells.of.size(); ++t)
    turned[std::size_t(shells.of[t])] += shells.turned[t];
  // the fewer ones of a shell are the wrong ones
  const auto wrong = [&](std::size_t t) {
    const auto shell = std::size_t(shells.of[t]);
    return shells.turned[t] == (2 * turned[shell] <= shells.size[shell]);
  };
  std::size_t count = 0, first = 0;
  for (std::size_t t = shells.of.size(); t-- > 0;) {
    const auto shell = std::size_t(shells.of[t]);
    if (turned[shell] == 0 || turned[shell] == shells.size[shell] || !wrong(t)) continue;
    ++count, first = t;
  }
  mistakes.add(
      fmt::format(
          "{} turned the other way round than the others, though the surface is closed there",
          plural(count, "triangle is", "triangles are")),
      int(first),
      "turn them alike (Blender: Recalculate Outside; MeshLab: Re-Orient All Faces Coherently)");
}

void turn(SurfaceMesh& mesh, std::size_t triangle) {
  std::swap(mesh.triangles[triangle][1], mesh.triangles[triangle][2]);
}

/// Edges of a surface that is closed and turned alike.
Edges closed_edges(SurfaceMesh& mesh) {
  Mistakes mistakes(mesh);
  find_flat(mesh, mistakes);
  find_duplicates(mesh, mistakes);
  mistakes.tell();
  Edges edges = edges_of(mesh);
  find_crowded(edges, mistakes);
  find_holes(mesh, edges, mistakes);
  if (edges.same_way.empty() || (!mesh.oriented && !edges.open.empty())) {
    mistakes.tell();
    return edges;
  }
  const Shells shells = shells_of(mesh, edges);
  if (mesh.oriented || shells.one_sided) find_turned(shells, mistakes);
  mistakes.tell();
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    if (shells.turned[t]) turn(mesh, t);
  return edges_of(mesh);
}

void find_crossings(const SurfaceMesh& mesh, const Bvh& bvh, ThreadPool& pool, Mistakes& mistakes) {
  const Crossings crossings = crossings_of(mesh, bvh, pool);
  if (crossings.pairs.empty()) return;
  const auto [a, b] = crossings.pairs[0];
  mistakes.add(
      fmt::format(
          "the surface crosses or touches itself: {}{} of triangles do, the first are {} and {}",
          crossings.all ? "" : "at least ", plural(crossings.pairs.size(), "pair", "pairs"), a + 1,
          b + 1),
      a,
      "unite bodies that overlap (Blender: Boolean, Union), or mend the mesh where it folds "
      "(MeshLab: Select Self Intersecting Faces shows it)");
}

}  // namespace

void Mistakes::add(const std::string& what, int triangle, const std::string& fix) {
  const Corners t = corners_of(mesh_, std::size_t(triangle));
  const Vector at = (1.0 / 3) * (t[0] + t[1] + t[2]);
  reports_.push_back({what,
                      fmt::format("{}, triangle {}, at ({:.6g}, {:.6g}, {:.6g})", mesh_.name,
                                  triangle + 1, at[0], at[1], at[2]),
                      fix});
}

void Mistakes::tell() const {
  if (!reports_.empty()) throw ConfigError(reports_);
}

std::vector<Corners> corners_of(const SurfaceMesh& mesh) {
  std::vector<Corners> corners(mesh.triangles.size());
  for (std::size_t t = 0; t < corners.size(); ++t) corners[t] = corners_of(mesh, t);
  return corners;
}

Surface checked(SurfaceMesh mesh, ThreadPool& pool) {
  drop_collapsed(mesh);
  if (mesh.triangles.empty())
    throw ConfigError({"the mesh has no triangle with three corners", mesh.name,
                       "choose a larger `scale`, or export the surface again"});
  Edges edges = closed_edges(mesh);
  Bvh bvh(corners_of(mesh), pool);
  Mistakes mistakes(mesh);
  find_crossings(mesh, bvh, pool, mistakes);
  mistakes.tell();
  const Shells shells = shells_of(mesh, edges);
  const std::vector<bool> turned = shells_to_turn(mesh, bvh, shells);
  if (std::find(turned.begin(), turned.end(), true) != turned.end()) {
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
      if (turned[std::size_t(shells.of[t])]) turn(mesh, t);
    edges = edges_of(mesh);
    bvh = Bvh(corners_of(mesh), pool);
  }
  return Surface(std::move(mesh), std::move(edges), std::move(bvh));
}

}  // namespace pinn::mesh
