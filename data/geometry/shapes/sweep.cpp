#include <algorithm>
#include <numeric>
#include <set>

#include "data/geometry/shapes/outline.h"

namespace pinn::shapes {
namespace {

bool is_before(Corner a, Corner b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }

/// Twice the area of a triangle; above 0 where it turns left. Exact for numbers of few digits.
long double turn_of(Corner a, Corner b, Corner c) {
  const long double ux = (long double)b.x - a.x, uy = (long double)b.y - a.y;
  return ux * ((long double)c.y - a.y) - uy * ((long double)c.x - a.x);
}

class Sweeper {
 public:
  explicit Sweeper(const Corners& corners)
      : corners_(corners),
        active_(Below{this}),
        at_(corners.size(), active_.end()),
        gaps_(corners.size()) {}

  Sweep run() {
    std::vector<std::size_t> order(corners_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return is_before(corners_[a], corners_[b]); });
    for (std::size_t corner : order) {
      pass(corner);
      if (found_.crosses) break;
    }
    return std::move(found_);
  }

 private:
  struct Below {
    const Sweeper* sweeper;
    bool operator()(std::size_t e, std::size_t f) const { return sweeper->is_below(e, f); }
  };
  using Active = std::set<std::size_t, Below>;
  using Edge = Active::iterator;

  /// Gap above an edge, while it is inside: since where, and up to which edge.
  struct Gap {
    bool open = false;
    double since = 0;
    std::size_t top = 0;
  };

  std::size_t size() const { return corners_.size(); }
  Corner from(std::size_t edge) const { return corners_[edge]; }
  Corner to(std::size_t edge) const { return corners_[(edge + 1) % size()]; }
  bool runs_right(std::size_t edge) const { return is_before(from(edge), to(edge)); }
  Corner left(std::size_t edge) const { return runs_right(edge) ? from(edge) : to(edge); }
  Corner right(std::size_t edge) const { return runs_right(edge) ? to(edge) : from(edge); }

  bool is_below(std::size_t e, std::size_t f) const {
    if (e == f) return false;
    if (is_before(left(e), left(f))) {
      const long double side = turn_of(left(e), right(e), left(f));
      if (side != 0) return side > 0;
      return turn_of(left(e), right(e), right(f)) > 0;
    }
    const long double side = turn_of(left(f), right(f), left(e));
    if (side != 0) return side < 0;
    const long double later = turn_of(left(f), right(f), right(e));
    return later != 0 ? later < 0 : e < f;
  }

  bool meet(std::size_t e, std::size_t f) const {
    if ((e + 1) % size() == f || (f + 1) % size() == e) return false;
    const auto apart = [](double a, double b, double c, double d) {
      return std::max(a, b) < std::min(c, d) || std::max(c, d) < std::min(a, b);
    };
    if (apart(from(e).x, to(e).x, from(f).x, to(f).x) ||
        apart(from(e).y, to(e).y, from(f).y, to(f).y))
      return false;
    const auto parts = [&](std::size_t line, std::size_t edge) {
      const long double a = turn_of(from(line), to(line), from(edge)),
                        b = turn_of(from(line), to(line), to(edge));
      return !((a > 0 && b > 0) || (a < 0 && b < 0));
    };
    return parts(e, f) && parts(f, e);
  }

  void check(Edge below, Edge above) {
    if (found_.crosses || below == active_.end() || above == active_.end()) return;
    if (!meet(*below, *above)) return;
    found_.crosses = true;
    found_.first = std::min(*below, *above);
    found_.second = std::max(*below, *above);
  }

  void close(Edge bottom, double x) {
    if (bottom == active_.end() || !gaps_[*bottom].open) return;
    Gap& gap = gaps_[*bottom];
    if (x > gap.since) found_.trapezoids.push_back({gap.since, x, *bottom, gap.top});
    gap.open = false;
  }

  void open(Edge bottom, double x) {
    if (bottom == active_.end() || !runs_right(*bottom)) return;
    const Edge top = std::next(bottom);
    if (top != active_.end()) gaps_[*bottom] = {true, x, *top};
  }

  Edge before(Edge edge) { return edge == active_.begin() ? active_.end() : std::prev(edge); }

  /// Ends the edges that come from the left, begins those that go to the right.
  void pass(std::size_t corner) {
    const double x = corners_[corner].x;
    const std::size_t edges[] = {(corner + size() - 1) % size(), corner};
    Edge below = active_.end();
    bool any = false;
    for (std::size_t edge : edges) {
      if (at_[edge] == active_.end()) continue;
      close(at_[edge], x);
      below = before(at_[edge]);
      any = true;
      const Edge above = active_.erase(at_[edge]);
      at_[edge] = active_.end();
      check(below, above);
    }
    std::vector<Edge> begun;
    for (std::size_t edge : edges) {
      if (is_before(left(edge), corners_[corner])) continue;
      at_[edge] = active_.insert(edge).first;
      begun.push_back(at_[edge]);
    }
    for (Edge edge : begun) {
      check(before(edge), edge);
      check(edge, std::next(edge));
    }
    if (!begun.empty()) {
      below = before(begun[0]);
      if (begun.size() == 2 && below == begun[1]) below = before(begun[1]);
      any = true;
    }
    if (!any || found_.crosses) return;
    close(below, x);
    open(below, x);
    for (Edge edge : begun) open(edge, x);
  }

  const Corners& corners_;
  Active active_;
  std::vector<Edge> at_;  ///< where an edge stands among the active ones
  std::vector<Gap> gaps_;
  Sweep found_;
};

}  // namespace

Sweep sweep(const Corners& corners) { return Sweeper(corners).run(); }

}  // namespace pinn::shapes
