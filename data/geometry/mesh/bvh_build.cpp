/// Boxes are split where the surface area heuristic says, among 16 planes across the longest side
/// of what the centers of the triangles' boxes fill.
///
///   source   Wald (2007), On fast Construction of SAH-based Bounding Volume Hierarchies
#include <algorithm>
#include <numeric>

#include "autograd/core/parallel.h"
#include "data/geometry/mesh/bvh.h"

namespace pinn::mesh {
namespace {

constexpr int bins = 16, leaf = 4;
constexpr int halves_from = 48;  // levels; below them parts are halved, so that walks are short
constexpr std::size_t alone = 1 << 14;  // triangles of a part that one task builds

struct Item {
  Extent box;
  int triangle;
  double center(int axis) const { return box.lower[axis] + box.upper[axis]; }  // twice, to be exact
};

/// A part of the items, which becomes the tree below a node.
struct Part {
  int node;
  std::size_t begin, end;
  int depth;
  std::size_t size() const { return end - begin; }
};

using Nodes = std::vector<Bvh::Node>;

class Builder {
 public:
  Builder(std::vector<Item>& items, Nodes& nodes) : items_(items), nodes_(nodes) {}

  /// Builds the tree of a part but for what is not larger than `small`, which it returns.
  std::vector<Part> build(const Part& whole, std::size_t small) {
    std::vector<Part> left, open = {whole};
    while (!open.empty()) {
      const Part part = open.back();
      open.pop_back();
      if (part.size() <= small) {
        left.push_back(part);
      } else if (std::size_t middle; box_and_split(part, middle)) {
        const int child = int(nodes_.size());
        nodes_[std::size_t(part.node)].first = child;
        nodes_[std::size_t(part.node)].count = 0;
        nodes_.resize(nodes_.size() + 2);
        open.push_back({child + 1, middle, part.end, part.depth + 1});
        open.push_back({child, part.begin, middle, part.depth + 1});
      } else {
        nodes_[std::size_t(part.node)].first = int(part.begin);
        nodes_[std::size_t(part.node)].count = int(part.size());
      }
    }
    return left;
  }

 private:
  struct Bin {
    Extent box;
    std::size_t count = 0;
  };

  /// Sets the box of the part's node; false where it is a leaf.
  bool box_and_split(const Part& part, std::size_t& middle) {
    Extent box, centers;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const Item& item = items_[i];
      box.add(item.box);
      centers.add(Vector{item.center(0), item.center(1), item.center(2)});
    }
    Bvh::Node& node = nodes_[std::size_t(part.node)];
    std::copy_n(box.lower.begin(), 3, node.lower);
    std::copy_n(box.upper.begin(), 3, node.upper);
    if (part.size() <= leaf) return false;
    const Vector size = centers.size();
    const int axis = int(std::max_element(size.begin(), size.end()) - size.begin());
    middle = part.depth < halves_from && size[axis] > 0 ? split(part, centers, axis) : part.begin;
    if (middle == part.begin || middle == part.end) middle = halve(part, axis);
    return true;
  }

  std::size_t split(const Part& part, const Extent& centers, int axis) {
    const double from = centers.lower[axis],
                 scale = bins * (1 - 1e-9) / (centers.upper[axis] - from);
    const auto bin_of = [&](const Item& item) { return int((item.center(axis) - from) * scale); };
    Bin bin[bins];
    for (std::size_t i = part.begin; i < part.end; ++i) {
      Bin& b = bin[bin_of(items_[i])];
      b.box.add(items_[i].box);
      ++b.count;
    }
    double cost[bins] = {};  // of the split before bin k
    Bin low, high;
    for (int k = 1; k < bins; ++k) {
      low.box.add(bin[k - 1].box), low.count += bin[k - 1].count;
      cost[k] += low.box.half_area() * double(low.count);
      high.box.add(bin[bins - k].box), high.count += bin[bins - k].count;
      cost[bins - k] += high.box.half_area() * double(high.count);
    }
    const int best = int(std::min_element(cost + 1, cost + bins) - cost);
    const auto first = items_.begin() + std::ptrdiff_t(part.begin),
               last = items_.begin() + std::ptrdiff_t(part.end);
    return std::size_t(
        std::partition(first, last, [&](const Item& item) { return bin_of(item) < best; }) -
        items_.begin());
  }

  std::size_t halve(const Part& part, int axis) {
    const std::size_t middle = part.begin + part.size() / 2;
    const auto at = [&](std::size_t i) { return items_.begin() + std::ptrdiff_t(i); };
    std::nth_element(at(part.begin), at(middle), at(part.end), [&](const Item& a, const Item& b) {
      return a.center(axis) != b.center(axis) ? a.center(axis) < b.center(axis)
                                              : a.triangle < b.triangle;
    });
    return middle;
  }

  std::vector<Item>& items_;
  Nodes& nodes_;
};

/// Puts a tree that was built by itself below a node.
void graft(const Nodes& tree, int node, Nodes& nodes) {
  const int shift = int(nodes.size()) - 1;  // of what is below its root
  const auto moved = [&](Bvh::Node n) {
    if (n.count == 0) n.first += shift;
    return n;
  };
  nodes[std::size_t(node)] = moved(tree[0]);
  for (std::size_t i = 1; i < tree.size(); ++i) nodes.push_back(moved(tree[i]));
}

/// Runs f(begin, end) over all numbers below n, in pieces.
template <class F> void in_pieces(std::size_t n, ThreadPool& pool, F&& f) {
  pool.run(int((n + alone - 1) / alone), [&](int piece) {
    f(std::size_t(piece) * alone, std::min(n, std::size_t(piece + 1) * alone));
  });
}

}  // namespace

Bvh::Bvh(const std::vector<Corners>& triangles, ThreadPool& pool)
    : corners_(triangles.size()), order_(triangles.size()) {
  if (triangles.empty()) return;
  std::vector<Item> items(triangles.size());
  in_pieces(items.size(), pool, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      items[i].triangle = int(i);
      for (const Vector& corner : triangles[i]) items[i].box.add(corner);
    }
  });
  nodes_.resize(1);
  const std::vector<Part> parts = Builder(items, nodes_).build({0, 0, items.size(), 0}, alone);
  std::vector<Nodes> trees(parts.size(), Nodes(1));
  pool.run(int(parts.size()), [&](int i) {
    const Part& part = parts[std::size_t(i)];
    Builder(items, trees[std::size_t(i)]).build({0, part.begin, part.end, part.depth}, 0);
  });
  for (std::size_t i = 0; i < parts.size(); ++i) graft(trees[i], parts[i].node, nodes_);
  in_pieces(items.size(), pool, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      order_[i] = items[i].triangle;
      corners_[i] = triangles[std::size_t(order_[i])];
    }
  });
}

}  // namespace pinn::mesh
