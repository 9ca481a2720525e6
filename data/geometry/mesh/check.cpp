#include "data/geometry/mesh/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/core/parallel.h"
#include "data/geometry/mesh/crossing.h"
#include "data/geometry/mesh/rays.h"

namespace pinn::mesh {
namespace {

std::string plural(std::size_t n, const std::string& one, const std::string& many) {
  return n == 1 ? "1 " + one : fmt::format("{} {}", n, many);
}

Corners corners_of(const SurfaceMesh& mesh, std::size_t triangle) {
  Corners t;
  for (int k = 0; k < 3; ++k) t[k] = mesh.points[std::size_t(mesh.triangles[triangle][k])];
  return t;
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

/// Whether a triangle has no area, as far as its coordinates tell.
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

/// How a shell is turned, and how often the others wind around it. Where it is turned outward they
/// have to do so not at all, and where it bounds a cavity, once.
struct ShellTurn {
  bool outward;
  int around;
  bool right() const { return around == (outward ? 0 : 1); }
  bool right_when_all_turn() const { return around == (outward ? -1 : 0); }
  /// Whatever the others are turned: it lies in an odd number of them, if it bounds a cavity.
  bool right_by_depth() const { return (around % 2 == 0) == outward; }
};

double volume_around(const SurfaceMesh& mesh, std::size_t t, const Vector& origin) {
  const Corners c = corners_of(mesh, t);
  return dot(c[0] - origin, cross(c[1] - origin, c[2] - origin)) / 6;
}

/// How often other shells wind around this one.
int winding_around(const SurfaceMesh& mesh, const Bvh& bvh, const Shells& shells, int shell) {
  for (std::size_t t = std::size_t(shells.first[std::size_t(shell)]); t < mesh.triangles.size();
       ++t) {
    if (shells.of[t] != shell) continue;
    for (int axis = 0; axis < 3; ++axis)
      for (const bool up : {false, true})
        if (const auto turns = winding(
                bvh, mesh.points[std::size_t(mesh.triangles[t][0])], {axis, up}, [&](int place) {
                  return shells.of[std::size_t(bvh.order()[std::size_t(place)])] != shell;
                }))
          return *turns;
  }
  return 0;  // every ray from every corner meets edges of the others
}

std::vector<ShellTurn> turns_of(const SurfaceMesh& mesh, const Bvh& bvh, const Shells& shells) {
  std::vector<double> volume(std::size_t(shells.count()));
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto shell = std::size_t(shells.of[t]);
    volume[shell] += volume_around(mesh, t, corners_of(mesh, std::size_t(shells.first[shell]))[0]);
  }
  std::vector<ShellTurn> turns;
  for (int shell = 0; shell < shells.count(); ++shell)
    turns.push_back({volume[std::size_t(shell)] > 0,
                     shells.count() == 1 ? 0 : winding_around(mesh, bvh, shells, shell)});
  return turns;
}

/// Which shells have to be turned round.
std::vector<bool> shells_to_turn(const SurfaceMesh& mesh, const Bvh& bvh, const Shells& shells) {
  const std::vector<ShellTurn> turns = turns_of(mesh, bvh, shells);
  std::vector<bool> turned(turns.size());
  if (std::all_of(turns.begin(), turns.end(), [](auto& t) { return t.right(); })) return turned;
  if (!mesh.oriented) {
    for (std::size_t i = 0; i < turns.size(); ++i) turned[i] = !turns[i].right_by_depth();
    return turned;
  }
  if (std::all_of(turns.begin(), turns.end(), [](auto& t) { return t.right_when_all_turn(); })) {
    warn(fmt::format("{}: the surface was inside out and is turned", mesh.name));
    turned.assign(turns.size(), true);
    return turned;
  }
  Mistakes mistakes(mesh);
  const auto wrong = std::find_if(turns.begin(), turns.end(), [](auto& t) { return !t.right(); });
  mistakes.add(
      fmt::format("one of the {} shells of the surface is turned the wrong way: it is turned {} "
                  "and lies {}",
                  turns.size(), wrong->outward ? "outward" : "inward",
                  wrong->around == 0 ? "in no other one" : "in another one"),
      shells.first[std::size_t(wrong - turns.begin())],
      "turn it round (Blender: Flip Normals), or remove it: an outer shell is turned outward, a "
      "cavity inward");
  mistakes.tell();
  return turned;
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

double volume_of(const SurfaceMesh& mesh) {
  double volume = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    volume += volume_around(mesh, t, mesh.points[0]);
  return volume;
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
