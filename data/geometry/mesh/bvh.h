#pragma once
#include <vector>

#include "data/geometry/mesh/vector.h"

namespace pinn {
class ThreadPool;
}

namespace pinn::mesh {

/// Feature of a triangle on which the point nearest to another one lies.
enum class Feature : unsigned char { face, side_0, side_1, side_2, corner_0, corner_1, corner_2 };

/// The nearest point of a set of triangles.
struct Nearest {
  double square = HUGE_VAL;  ///< of the distance
  Vector point{};
  int triangle = -1;
  Feature feature = Feature::face;
};

/// The nearest point of one triangle, which may be as thin as a line or a point.
Nearest nearest_on(const Corners& t, const Vector& x);

/// A tree of boxes over triangles: the boxes of two children hold what that of their parent holds.
/// The leaves have a few triangles, which stand one beside the other. What it answers depends on no
/// number of threads.
class Bvh {
 public:
  /// One cache line. An inner node has its children at first and first + 1.
  struct alignas(64) Node {
    double lower[3], upper[3];
    int first, count;  ///< of the triangles of a leaf; count = 0 for an inner node
  };
  static constexpr int deepest = 96;  ///< entries that a walk has to remember at most

  Bvh() = default;
  Bvh(const std::vector<Corners>& triangles, ThreadPool& pool);

  const std::vector<Node>& nodes() const { return nodes_; }
  /// In the order of the leaves, which is one in space.
  const std::vector<Corners>& corners() const { return corners_; }
  /// [triangles]: the number of each, in that order.
  const std::vector<int>& order() const { return order_; }

  /// The nearest point of all triangles, one with a number of order(); at a tie any of them.
  /// Those as far as `within` or farther do not count.
  Nearest nearest(const Vector& x, double within = HUGE_VAL) const;

  /// Calls f(place in order) for each triangle of the leaves whose boxes wanted(node) meets, until
  /// it returns false.
  template <class Wanted, class F> void walk(Wanted&& wanted, F&& f) const {
    if (nodes_.empty() || !wanted(nodes_[0])) return;
    int stack[deepest], size = 0;
    stack[size++] = 0;
    while (size > 0) {
      const Node& node = nodes_[std::size_t(stack[--size])];
      for (int i = node.first; i < node.first + node.count; ++i)
        if (!f(i)) return;
      if (node.count > 0) continue;
      for (int child = node.first + 1; child >= node.first; --child)
        if (wanted(nodes_[std::size_t(child)])) stack[size++] = child;
    }
  }

 private:
  std::vector<Node> nodes_;
  std::vector<Corners> corners_;
  std::vector<int> order_;
};

}  // namespace pinn::mesh
