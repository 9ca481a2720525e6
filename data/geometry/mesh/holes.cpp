#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "data/geometry/mesh/check.h"

namespace pinn::mesh {
namespace {

/// A connected part of the open edges.
struct Hole {
  int edges = 0, triangle = 0;
  double length = 0;
  Vector middle{};  ///< times the length
};

/// Which group each point belongs to.
class Groups {
 public:
  explicit Groups(std::size_t points) : above_(points) {
    std::iota(above_.begin(), above_.end(), 0);
  }
  int of(int p) {
    while (above_[std::size_t(p)] != p)
      p = above_[std::size_t(p)] = above_[std::size_t(above_[std::size_t(p)])];
    return p;
  }
  void join(int p, int q) {
    p = of(p), q = of(q);
    above_[std::size_t(std::max(p, q))] = std::min(p, q);
  }

 private:
  std::vector<int> above_;
};

/// The longest first.
std::vector<Hole> holes_of(const SurfaceMesh& mesh, const Edges& edges) {
  Groups groups(mesh.points.size());
  for (const int side : edges.open) groups.join(from(mesh, side), to(mesh, side));
  std::map<int, Hole> by_group;
  for (const int side : edges.open) {
    Hole& hole = by_group[groups.of(from(mesh, side))];
    const Vector &a = mesh.points[std::size_t(from(mesh, side))],
                 &b = mesh.points[std::size_t(to(mesh, side))];
    const double size = length(b - a);
    if (hole.edges++ == 0) hole.triangle = triangle_of(side);
    hole.length += size;
    hole.middle = hole.middle + (0.5 * size) * (a + b);
  }
  std::vector<Hole> holes;
  for (const auto& [group, hole] : by_group) holes.push_back(hole);
  std::sort(holes.begin(), holes.end(), [](const Hole& a, const Hole& b) {
    return a.length != b.length ? a.length > b.length : a.triangle < b.triangle;
  });
  return holes;
}

/// How far most points at open edges are from another one of them, where that is much less than the
/// edges are long: then edges that ought to be one lie beside each other. 0 where they do not.
double gap(const SurfaceMesh& mesh, const Edges& edges) {
  constexpr std::size_t most = 20000;  // edges that are looked at
  const std::size_t count = std::min(edges.open.size(), most);
  std::vector<std::array<double, 4>> points(count);  // with the length of the edge
  for (std::size_t i = 0; i < count; ++i) {
    const Vector &a = mesh.points[std::size_t(from(mesh, edges.open[i]))],
                 &b = mesh.points[std::size_t(to(mesh, edges.open[i]))];
    points[i] = {a[0], a[1], a[2], length(b - a)};
  }
  std::sort(points.begin(), points.end());
  std::vector<double> gaps;
  for (std::size_t i = 0; i < count; ++i) {
    const double reach = 1e-3 * points[i][3];
    double nearest = reach;
    for (const int step : {-1, 1})
      for (std::size_t j = i + std::size_t(step), looks = 0;
           j < count && looks < 64 && std::fabs(points[j][0] - points[i][0]) < reach;
           j += std::size_t(step), ++looks) {
        const double d = length(Vector{points[j][0], points[j][1], points[j][2]} -
                                Vector{points[i][0], points[i][1], points[i][2]});
        if (d > 0) nearest = std::min(nearest, d);
      }
    if (nearest < reach) gaps.push_back(nearest);
  }
  return 2 * gaps.size() > count ? *std::max_element(gaps.begin(), gaps.end()) : 0;
}

std::string text_of(const Hole& hole) {
  const Vector at = (1 / std::max(hole.length, 1e-300)) * hole.middle;
  return fmt::format("one of {} edges, {:.3g} long, about ({:.6g}, {:.6g}, {:.6g})", hole.edges,
                     hole.length, at[0], at[1], at[2]);
}

}  // namespace

void find_holes(const SurfaceMesh& mesh, const Edges& edges, Mistakes& mistakes) {
  if (edges.open.empty()) return;
  const std::vector<Hole> holes = holes_of(mesh, edges);
  constexpr std::size_t most_told = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(holes.size(), most_told); ++i)
    list += (i == 0 ? "" : "; ") + text_of(holes[i]);
  if (holes.size() > most_told) list += "; ...";
  const std::string what =
      fmt::format("the surface is not closed, it has {}: {}",
                  holes.size() == 1 ? "a hole" : fmt::format("{} holes", holes.size()), list);
  if (const double apart = gap(mesh, edges); apart > 0)
    return mistakes.add(
        fmt::format("{}. Its points lie in pairs up to {:.2g} apart that ought to be one", what,
                    apart),
        holes[0].triangle,
        fmt::format(
            "merge points closer than {:.1g} in the program that made it (Blender: Merge by "
            "Distance; MeshLab: Merge Close Vertices)",
            2 * apart));
  mistakes.add(
      what, holes[0].triangle,
      "close it in the program that made it (Blender: Fill Holes; MeshLab: Close Holes), or "
      "export the whole body, not a part of its surface");
}

}  // namespace pinn::mesh
