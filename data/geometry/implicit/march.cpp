/// Cells are cut into simplices by the orders in which a path along the coordinates leads from the
/// lower corner to the upper one, so that neighbors fit; on a simplex the surface is a point, a
/// segment, a triangle or a quadrangle.
///
///   source   Kuhn (1960), Some combinatorial lemmas in topology, IBM Journal 4, 518-524; Doi and
///            Koide (1991), An efficient method of triangulating equi-valued surfaces
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "autograd/core/error.h"
#include "data/geometry/implicit/level.h"

namespace pinn::implicit {
namespace {

class Grid {
 public:
  explicit Grid(const Level& level) : level_(level) {
    for (int k = 0; k < level.dimension(); ++k) {
      const double side = level.set().upper[k] - level.set().lower[k];
      cells_[k] = std::max(1, int(std::ceil(side / level.cell() - 1e-9)));
    }
    for (int k = 1; k < 3; ++k) stride_[k] = stride_[k - 1] * (cells_[k - 1] + 1);
    fill();
  }

  /// Calls f(number of its lower corner) for each cell.
  template <class F> void for_each_cell(F&& f) const {
    std::array<int, 3> n;
    const auto ends = [&](int k) { return std::max(cells_[k], 1); };
    for (n[2] = 0; n[2] < ends(2); ++n[2])
      for (n[1] = 0; n[1] < ends(1); ++n[1])
        for (n[0] = 0; n[0] < ends(0); ++n[0]) f(number(n));
  }
  bool inside(long number) const { return inside_[std::size_t(number)]; }
  long stride(int axis) const { return stride_[axis]; }
  Vector point(long number) const {
    Vector x{};
    for (int k = 0; k < level_.dimension(); ++k) {
      const long n = number / stride_[k] % (cells_[k] + 1);
      x[k] = std::lerp(level_.set().lower[k], level_.set().upper[k], double(n) / cells_[k]);
    }
    return x;
  }

 private:
  long number(const std::array<int, 3>& n) const {
    return n[0] * stride_[0] + n[1] * stride_[1] + n[2] * stride_[2];
  }

  void fill() {
    const long count = stride_[2] * (cells_[2] + 1);
    std::vector<double> values(count);
    double largest = 0;
    for (long i = 0; i < count; ++i) {
      const Vector x = point(i);
      values[i] = level_.value(x);
      if (!std::isfinite(values[i]))
        throw ConfigError({"the formula of an implicit shape is not finite",
                           "at " + place(x, level_.dimension()),
                           "choose `lower` and `upper` so that it is finite between them"});
      largest = std::max(largest, std::fabs(values[i]));
    }
    inside_.resize(count);
    for (long i = 0; i < count; ++i) {
      inside_[i] = values[i] < 0;
      if (!inside_[i] || !at_edge(i)) continue;
      inside_[i] = false;  // a body that touches its box does so to rounding
      if (values[i] < -1e-9 * largest)
        throw ConfigError(
            {"an implicit shape reaches beyond its box: its formula is negative at the edge",
             "at " + place(point(i), level_.dimension()),
             "move `lower` and `upper` apart until they hold all of the body, or cut the formula: "
             "max(f, ...)"});
    }
    if (std::find(inside_.begin(), inside_.end(), true) == inside_.end())
      throw ConfigError(
          {fmt::format("an implicit shape is empty: its formula is negative at none of {} places",
                       count),
           "its formula",
           "see whether the sign is right (negative inside), and move `lower` and "
           "`upper` nearer to the body"});
  }

  bool at_edge(long i) const {
    for (int k = 0; k < level_.dimension(); ++k) {
      const long n = i / stride_[k] % (cells_[k] + 1);
      if (n == 0 || n == cells_[k]) return true;
    }
    return false;
  }

  const Level& level_;
  std::array<int, 3> cells_{};
  std::array<long, 3> stride_{1, 1, 1};
  std::vector<bool> inside_;
};

class March {
 public:
  explicit March(const Level& level) : level_(level), grid_(level) {}

  Polyhedron result() {
    std::array<int, 3> order = {0, 1, 2};
    const auto end = order.begin() + level_.dimension();
    do {
      grid_.for_each_cell([&](long first) {
        std::array<long, 4> simplex{first};
        for (int k = 0; k < level_.dimension(); ++k)
          simplex[k + 1] = simplex[k] + grid_.stride(order[k]);
        cut(simplex);
      });
    } while (std::next_permutation(order.begin(), end));
    return std::move(polyhedron_);
  }

 private:
  void cut(const std::array<long, 4>& simplex) {
    long in[4], out[4];
    int within = 0, beyond = 0;
    for (int i = 0; i <= level_.dimension(); ++i)
      (grid_.inside(simplex[i]) ? in[within++] : out[beyond++]) = simplex[i];
    if (within == 0 || beyond == 0) return;
    int corners[4], count = 0;  // around the quadrangle
    for (int i = 0; i < within; ++i)
      for (int j = 0; j < beyond; ++j)
        corners[count++] = point(in[i], out[i % 2 == 0 ? j : beyond - 1 - j]);
    if (count == 4) add({corners[0], corners[2], corners[3]});
    add({corners[0], corners[std::min(count, 2) - 1], corners[std::min(count, 3) - 1]});
  }

  void add(const Facet& facet) {
    const auto& p = polyhedron_.points;
    const int d = level_.dimension();
    const bool is_thin =
        d > 1 && (p[facet[0]] == p[facet[1]] ||
                  (d > 2 && (p[facet[1]] == p[facet[2]] || p[facet[0]] == p[facet[2]])));
    if (!is_thin) polyhedron_.facets.push_back(facet);
  }

  /// The number of the point of the surface between two places of the grid.
  int point(long a, long b) {
    const auto [at, is_new] =
        numbers_.emplace(a * 64 + direction(b - a), int(polyhedron_.points.size()));
    if (!is_new) return at->second;
    const Vector from = grid_.point(a), to = grid_.point(b), x = level_.root(from, to);
    const Vector normal = level_.normal(x);
    const double jump = std::fabs(level_.value(x)), height = level_.value(to) - level_.value(from);
    if (!(std::fabs(mesh::length(normal) - 1) < 0.5) || jump > 1e-3 * height)
      throw ConfigError(
          {"the formula of an implicit shape jumps over 0, or its gradient vanishes there",
           "at " + place(x, level_.dimension()),
           "write a formula that grows through 0 on the surface, smoothly"});
    polyhedron_.points.push_back(x);
    polyhedron_.normals.push_back(normal);
    return at->second;
  }

  /// Which sides of a cell an edge leads along, and which way.
  int direction(long step) const {
    int code = step < 0 ? 32 : 0;
    step = std::labs(step);
    for (int k = level_.dimension() - 1; k >= 0; --k)
      if (step >= grid_.stride(k)) step -= grid_.stride(k), code |= 1 << k;
    return code;
  }

  const Level& level_;
  const Grid grid_;
  Polyhedron polyhedron_;
  std::unordered_map<long, int> numbers_;
};

}  // namespace

Polyhedron march(const Level& level) { return March(level).result(); }

}  // namespace pinn::implicit
