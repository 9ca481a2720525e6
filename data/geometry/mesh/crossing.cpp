#include "data/geometry/mesh/crossing.h"

#include <algorithm>

#include "autograd/core/parallel.h"
#include "data/geometry/mesh.h"

namespace pinn::mesh {
namespace {

constexpr int leaves_of_a_task = 512, found_by_a_task = 64;

/// True if all of some points lie strictly on one side of a plane, the other one if `side` says;
/// certainly.
template <class Side> bool apart(Side&& side, const Vector* const* points, int count, int other) {
  for (int i = 0; i < count; ++i) {
    const int s = side(*points[i]);
    if (s == 0 || s == unsure || s == other) return false;
    other = -s;
  }
  return true;
}

/// True if planes along the faces and sides of t have all of t on one side and `points` on the
/// other; that tells nearly all neighbors that do not meet. With `tip`, a corner of t that both
/// triangles have, only planes through it.
bool parted_by(const Corners& t, const Vector* const* points, int count, int tip) {
  if (apart([&](const Vector& x) { return likely_side_of(t[0], t[1], t[2], x); }, points, count, 2))
    return true;
  const Vector normal = area_normal(t);
  for (int k = 0; k < 3; ++k) {
    const Vector &a = t[k], &b = t[(k + 1) % 3], &c = t[(k + 2) % 3];
    if (tip >= 0 && tip != k && tip != (k + 1) % 3) continue;
    const Vector above = a + normal;  // any point will do: the plane holds a and b
    const auto side = [&](const Vector& x) { return likely_side_of(a, b, above, x); };
    const int inner = side(c);
    if (inner != 0 && inner != unsure && apart(side, points, count, inner)) return true;
  }
  return false;
}

/// The two coordinates whose plane shows a flat triangle largest.
std::array<int, 2> shadow_of(const Corners& t) {
  const Vector n = area_normal(t);
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (std::fabs(n[i]) > std::fabs(n[k])) k = i;
  return {(k + 1) % 3, (k + 2) % 3};
}

bool has_both(const int* signs, int count) {
  return std::count(signs, signs + count, 1) > 0 && std::count(signs, signs + count, -1) > 0;
}

bool sides_cross(const Vector& a, const Vector& b, const Vector& c, const Vector& d, int i, int j) {
  const int ab[] = {turn_of(a, b, c, i, j), turn_of(a, b, d, i, j)},
            cd[] = {turn_of(c, d, a, i, j), turn_of(c, d, b, i, j)};
  if (ab[0] == 0 && ab[1] == 0) {  // on one line
    const int axis = a[i] == b[i] ? j : i;
    return std::max(std::min(a[axis], b[axis]), std::min(c[axis], d[axis])) <=
           std::min(std::max(a[axis], b[axis]), std::max(c[axis], d[axis]));
  }
  return ab[0] * ab[1] <= 0 && cd[0] * cd[1] <= 0;
}

bool within(const Vector& x, const Corners& t, int i, int j) {
  const int turns[] = {turn_of(t[0], t[1], x, i, j), turn_of(t[1], t[2], x, i, j),
                       turn_of(t[2], t[0], x, i, j)};
  return !has_both(turns, 3);
}

/// True if the closed segment from p to q and a closed triangle have a point in common.
bool reaches(const Vector& p, const Vector& q, const Corners& t) {
  const int above = side_of(t[0], t[1], t[2], p), below = side_of(t[0], t[1], t[2], q);
  if (above * below > 0) return false;
  if (above == 0 && below == 0) {
    const auto [i, j] = shadow_of(t);
    if (within(p, t, i, j) || within(q, t, i, j)) return true;
    for (int k = 0; k < 3; ++k)
      if (sides_cross(p, q, t[k], t[(k + 1) % 3], i, j)) return true;
    return false;
  }
  const int around[] = {side_of(p, q, t[0], t[1]), side_of(p, q, t[1], t[2]),
                        side_of(p, q, t[2], t[0])};
  return !has_both(around, 3);
}

bool meet_apart(const Corners& s, const Corners& t) {
  const Vector *const of_s[] = {&s[0], &s[1], &s[2]}, *const of_t[] = {&t[0], &t[1], &t[2]};
  if (parted_by(s, of_t, 3, -1) || parted_by(t, of_s, 3, -1)) return false;
  for (int k = 0; k < 3; ++k)
    if (reaches(s[k], s[(k + 1) % 3], t) || reaches(t[k], t[(k + 1) % 3], s)) return true;
  return false;
}

/// With corner i of s and j of t one point: they meet elsewhere, too, where the side of one that
/// faces it reaches the other.
bool meet_beyond_corner(const Corners& s, int i, const Corners& t, int j) {
  const Vector &a = s[(i + 1) % 3], &b = s[(i + 2) % 3], &c = t[(j + 1) % 3], &d = t[(j + 2) % 3];
  const Vector *const of_s[] = {&a, &b}, *const of_t[] = {&c, &d};
  if (parted_by(s, of_t, 2, i) || parted_by(t, of_s, 2, j)) return false;
  return reaches(a, b, t) || reaches(c, d, s);
}

/// With a common side, which a and b face: where one lies flat on the other.
bool folded(const Corners& s, const Vector& a, const Vector& b) {
  const int k = int(std::find(s.begin(), s.end(), a) - s.begin());
  const Vector &u = s[(k + 1) % 3], &v = s[(k + 2) % 3], above = u + area_normal(s);
  if (likely_side_of(u, v, above, a) * likely_side_of(u, v, above, b) == -1) return false;
  if (side_of(u, v, a, b) != 0) return false;
  const auto [i, j] = shadow_of(s);
  return turn_of(u, v, a, i, j) == turn_of(u, v, b, i, j);
}

bool overlap(const Bvh::Node& node, const Extent& box) {
  for (int k = 0; k < 3; ++k)
    if (node.lower[k] > box.upper[k] || node.upper[k] < box.lower[k]) return false;
  return true;
}

Extent box_of(const Corners& t) {
  Extent box;
  for (const Vector& x : t) box.add(x);
  return box;
}

bool overlap(const Corners& t, const Extent& box) {
  for (int k = 0; k < 3; ++k)
    if (std::min({t[0][k], t[1][k], t[2][k]}) > box.upper[k] ||
        std::max({t[0][k], t[1][k], t[2][k]}) < box.lower[k])
      return false;
  return true;
}

}  // namespace

bool meet(const Corners& s, const std::array<int, 3>& s_points, const Corners& t,
          const std::array<int, 3>& t_points) {
  int shared = 0, i = -1, j = -1, sum_i = 0, sum_j = 0;
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l)
      if (s_points[k] == t_points[l]) ++shared, i = k, j = l, sum_i += k, sum_j += l;
  if (shared == 0) return meet_apart(s, t);
  if (shared == 1) return meet_beyond_corner(s, i, t, j);
  return shared == 3 || folded(s, s[3 - sum_i], t[3 - sum_j]);
}

namespace {

using Pairs = std::vector<std::array<int, 2>>;

/// Adds the triangles of a leaf that meet others behind them.
void check_leaf(const SurfaceMesh& mesh, const Bvh& bvh, const Bvh::Node& leaf, Pairs& pairs) {
  const std::vector<int>& order = bvh.order();
  Extent boxes[4], box;
  for (int i = 0; i < leaf.count; ++i) {
    boxes[i] = box_of(bvh.corners()[std::size_t(leaf.first + i)]);
    box.add(boxes[i]);
  }
  bvh.walk([&](const Bvh::Node& node) { return overlap(node, box); },
           [&](int b) {
             const Corners& t = bvh.corners()[std::size_t(b)];
             for (int a = leaf.first; a < std::min(leaf.first + leaf.count, b); ++a) {
               if (!overlap(t, boxes[a - leaf.first])) continue;
               const int s_number = order[std::size_t(a)], t_number = order[std::size_t(b)];
               if (meet(bvh.corners()[std::size_t(a)], mesh.triangles[std::size_t(s_number)], t,
                        mesh.triangles[std::size_t(t_number)]))
                 pairs.push_back({std::min(s_number, t_number), std::max(s_number, t_number)});
             }
             return pairs.size() < found_by_a_task;
           });
}

}  // namespace

Crossings crossings_of(const SurfaceMesh& mesh, const Bvh& bvh, ThreadPool& pool) {
  std::vector<int> leaves;
  for (int i = 0; i < int(bvh.nodes().size()); ++i)
    if (bvh.nodes()[std::size_t(i)].count > 0) leaves.push_back(i);
  const int tasks = int((leaves.size() + leaves_of_a_task - 1) / leaves_of_a_task);
  std::vector<Pairs> found(tasks);
  pool.run(tasks, [&](int task) {
    const std::size_t begin = std::size_t(task) * leaves_of_a_task,
                      end = std::min(leaves.size(), begin + leaves_of_a_task);
    auto& pairs = found[std::size_t(task)];
    for (std::size_t i = begin; i < end && pairs.size() < found_by_a_task; ++i)
      check_leaf(mesh, bvh, bvh.nodes()[std::size_t(leaves[i])], pairs);
  });
  Crossings crossings;
  for (const auto& pairs : found) {
    crossings.all = crossings.all && pairs.size() < found_by_a_task;
    crossings.pairs.insert(crossings.pairs.end(), pairs.begin(), pairs.end());
  }
  std::sort(crossings.pairs.begin(), crossings.pairs.end());
  return crossings;
}

}  // namespace pinn::mesh
