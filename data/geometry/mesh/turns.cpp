#include <fmt/format.h>

#include "data/geometry/mesh/check.h"
#include "data/geometry/mesh/rays.h"

namespace pinn::mesh {
namespace {

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

}  // namespace

double volume_of(const SurfaceMesh& mesh) {
  double volume = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    volume += volume_around(mesh, t, mesh.points[0]);
  return volume;
}

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

}  // namespace pinn::mesh
