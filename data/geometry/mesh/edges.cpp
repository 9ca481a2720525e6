#include "data/geometry/mesh/edges.h"

#include <algorithm>
#include <numeric>

namespace pinn::mesh {
namespace {

/// Things sorted by the number of a point into buckets.
template <class T> struct Buckets {
  std::vector<int> begin;  ///< [points + 1]
  std::vector<T> content;

  /// place(i): the bucket of thing i; thing(i): what goes there.
  template <class Place, class Thing>
  Buckets(std::size_t points, std::size_t things, Place&& place, Thing&& thing)
      : begin(points + 1), content(things) {
    for (std::size_t i = 0; i < things; ++i) ++begin[std::size_t(place(int(i))) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<int> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < things; ++i)
      content[std::size_t(next[std::size_t(place(int(i)))]++)] = thing(int(i));
  }
  /// Calls f(first, last) for all that are alike in a bucket.
  template <class F> void for_each_group(F&& f) {
    for (std::size_t p = 0; p + 1 < begin.size(); ++p) {
      const auto first = content.begin() + begin[p], last = content.begin() + begin[p + 1];
      std::sort(first, last);
      for (auto at = first; at != last;) {
        const auto end = std::find_if(at, last, [&](const T& x) { return !x.alike(*at); });
        f(at, end);
        at = end;
      }
    }
  }
};

struct Half {
  int far, side;  ///< the higher one of its points
  bool alike(const Half& x) const { return far == x.far; }
  bool operator<(const Half& x) const { return far != x.far ? far < x.far : side < x.side; }
};

struct Face {
  int middle, high, triangle;
  bool alike(const Face& x) const { return middle == x.middle && high == x.high; }
  bool operator<(const Face& x) const {
    return middle != x.middle ? middle < x.middle
           : high != x.high   ? high < x.high
                              : triangle < x.triangle;
  }
};

std::array<int, 3> sorted(std::array<int, 3> corners) {
  std::sort(corners.begin(), corners.end());
  return corners;
}

}  // namespace

Edges edges_of(const SurfaceMesh& mesh) {
  const std::size_t sides = 3 * mesh.triangles.size();
  Buckets<Half> buckets(
      mesh.points.size(), sides, [&](int s) { return std::min(from(mesh, s), to(mesh, s)); },
      [&](int s) {
        return Half{std::max(from(mesh, s), to(mesh, s)), s};
      });
  Edges edges{
      .other = std::vector<int>(sides, -1), .open = {}, .crowded = {}, .most = {}, .same_way = {}};
  buckets.for_each_group([&](auto first, auto last) {
    const int a = first->side;
    if (last - first == 1) return edges.open.push_back(a);
    if (last - first > 2) {
      edges.crowded.push_back(a);
      return edges.most.push_back(int(last - first));
    }
    const int b = (first + 1)->side;
    edges.other[std::size_t(a)] = b;
    edges.other[std::size_t(b)] = a;
    if (from(mesh, a) == from(mesh, b)) edges.same_way.push_back(a);
  });
  return edges;
}

std::vector<std::array<int, 2>> duplicates(const SurfaceMesh& mesh) {
  Buckets<Face> buckets(
      mesh.points.size(), mesh.triangles.size(),
      [&](int t) { return sorted(mesh.triangles[std::size_t(t)])[0]; },
      [&](int t) {
        const auto corners = sorted(mesh.triangles[std::size_t(t)]);
        return Face{corners[1], corners[2], t};
      });
  std::vector<std::array<int, 2>> pairs;
  buckets.for_each_group([&](auto first, auto last) {
    for (auto at = first + 1; at < last; ++at) pairs.push_back({first->triangle, at->triangle});
  });
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

Shells shells_of(const SurfaceMesh& mesh, const Edges& edges) {
  const std::size_t n = mesh.triangles.size();
  Shells shells{
      .of = std::vector<int>(n, -1), .turned = std::vector<bool>(n), .first = {}, .size = {}};
  std::vector<int> queue;
  for (std::size_t seed = 0; seed < n; ++seed) {
    if (shells.of[seed] >= 0) continue;
    const int number = shells.count();
    shells.first.push_back(int(seed));
    shells.of[seed] = number;
    queue.assign(1, int(seed));
    for (std::size_t done = 0; done < queue.size(); ++done)
      for (int side = 3 * queue[done]; side < 3 * queue[done] + 3; ++side) {
        const int other = edges.other[std::size_t(side)];
        if (other < 0) continue;
        const auto t = std::size_t(triangle_of(other));
        const bool same_way = from(mesh, side) == from(mesh, other),
                   turned = shells.turned[std::size_t(queue[done])] != same_way;
        if (shells.of[t] < 0) {
          shells.of[t] = number;
          shells.turned[t] = turned;
          queue.push_back(int(t));
        } else if (shells.turned[t] != turned) {
          shells.one_sided = true;
        }
      }
    shells.size.push_back(int(queue.size()));
  }
  return shells;
}

}  // namespace pinn::mesh
