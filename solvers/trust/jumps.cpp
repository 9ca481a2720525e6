#include "solvers/trust/hidden.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "autograd/core/random.h"
#include "data/geometry/measure.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"
#include "solvers/residual/step/formulas.h"

namespace pinn {
namespace {

constexpr int tiles = 64;              ///< of an interval; a segment is as long
constexpr int segments_per_tile = 24;  ///< at other places of the other coordinates
constexpr int nodes = 8;               ///< of a segment
constexpr int halvings = 24;
constexpr std::size_t most_followed = 6;  ///< segments of a pair
constexpr double rounding = 1e-11;        ///< of the largest value

/// A quantity and what should be its derivative by a coordinate.
struct Pair {
  ExpressionPtr quantity, derivative;
  int coordinate;
};

/// [a, b] of a coordinate, the others as at x.
struct Segment {
  std::vector<double> x;
  double a, b;
};

class Pairs {
 public:
  explicit Pairs(const Problem& problem) : problem_(problem) {
    for (const Requirement& r : problem.requirements) {
      for (const Need& need : needs(r, problem))
        add(make_leaf(Expression::Kind::field, need.field), need.index);
      for (const Residual& residual : r.residuals)
        for (const Expression* e : in_order(*residual.expression))
          if (e->kind == Expression::Kind::derivative && is_of_place(*e->inputs[0]))
            add(e->inputs[0], e->order);
    }
  }
  const std::vector<Pair>& all() const { return pairs_; }

 private:
  /// Neither of what stands at points alone, nor of other places.
  static bool is_of_place(const Expression& e) {
    for (const Expression* node : in_order(e))
      if (node->kind == Expression::Kind::elsewhere || node->kind == Expression::Kind::whole ||
          node->kind == Expression::Kind::integral || node->kind == Expression::Kind::by_region)
        return false;
    return !dependence(e).points;
  }

  void add(const ExpressionPtr& of, const MultiIndex& order_of) {
    for (int c = 0; c < int(problem_.coordinates.size()); ++c) {
      if (order_of[std::size_t(c)] == 0) continue;
      const MultiIndex before = order_of - unit_index(c);
      const Scope scope{problem_, Scope::Use::formula};
      const ExpressionPtr derivative = make_derivative(of, order_of);
      const ExpressionPtr quantity = order(before) == 0 ? of : make_derivative(of, before);
      if (!seen_.insert(print(*derivative, scope) + " by " + std::to_string(c)).second) continue;
      pairs_.push_back({quantity, derivative, c});
      add(of, before);
    }
  }

  const Problem& problem_;
  std::vector<Pair> pairs_;
  std::set<std::string> seen_;
};

std::vector<Segment> segments_along(const Run& run, int coordinate) {
  const Coordinate& c = run.problem.coordinates[std::size_t(coordinate)];
  const std::size_t d = run.problem.coordinates.size();
  const Points drawn =
      draw_points(*interior(run.problem), {.count = tiles * segments_per_tile, .method = "uniform"},
                  run.options.seed, stream(c.name, "jumps"), 0);
  const Random random{run.options.seed, stream(c.name, "segments")};
  const double length = (c.upper - c.lower) / (tiles + 1);
  std::vector<Segment> all;
  for (std::size_t i = 0; i < drawn.count; ++i) {
    Segment s{
        {drawn.x.begin() + std::ptrdiff_t(i * d), drawn.x.begin() + std::ptrdiff_t((i + 1) * d)},
        c.lower + length * (double(i % tiles) + random.uniform(i)),
        0};
    s.b = s.a + length;
    bool inside = true;
    for (const double at : {s.a, (s.a + s.b) / 2, s.b}) {
      s.x[std::size_t(coordinate)] = at;
      inside = inside && in_domain(run.problem, s.x);
    }
    if (inside) all.push_back(std::move(s));
  }
  return all;
}

/// Looks along one coordinate at all pairs that go along it.
class Line {
 public:
  Line(const Run& run, const std::shared_ptr<const Model>& model, std::span<const double> p,
       ThreadPool& pool, const std::shared_ptr<StepCache>& cache, std::vector<Pair> pairs,
       int coordinate)
      : run_(run),
        p_(p),
        pool_(pool),
        pairs_(std::move(pairs)),
        coordinate_(std::size_t(coordinate)) {
    std::vector<ExpressionPtr> formulas;
    for (const Pair& pair : pairs_) {
      formulas.push_back(pair.quantity);
      formulas.push_back(pair.derivative);
    }
    formulas_ = std::make_unique<Formulas>(model, formulas, cache);
  }

  std::vector<Jump> jumps() {
    const std::vector<Segment> all = segments_along(run_, int(coordinate_));
    std::vector<Jump> found;
    if (all.empty()) return found;
    const std::vector<std::vector<double>> missed = missing(all, true);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      std::vector<std::size_t> order;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (std::fabs(missed[k][i]) > rounding * largest_[k]) order.push_back(i);
      std::ranges::sort(order, [&](std::size_t i, std::size_t j) {
        return std::fabs(missed[k][i]) > std::fabs(missed[k][j]);
      });
      if (order.size() > most_followed) order.resize(most_followed);
      Jump best;
      for (const std::size_t i : order)
        if (const Jump jump = follow(k, all[i], missed[k][i]); jump.size > best.size) best = jump;
      if (best.size > 0) found.push_back(std::move(best));
    }
    return found;
  }

 private:
  /// By how much the quadrature of each pair misses the change along segments: [pair][segment].
  std::vector<std::vector<double>> missing(const std::vector<Segment>& segments, bool remember) {
    PointSet points;
    for (const Segment& s : segments)
      for (int k = 0; k < nodes + 2; ++k) {
        points.x.insert(points.x.end(), s.x.begin(), s.x.end());
        double& at = points.x[points.x.size() - s.x.size() + coordinate_];
        at = k == nodes ? s.a : k == nodes + 1 ? s.b : s.a + (s.b - s.a) * rule_[std::size_t(k)].x;
        ++points.count;
      }
    const auto values = (*formulas_)(p_, points, pool_);
    std::vector<std::vector<double>> missed(pairs_.size());
    if (remember) largest_.assign(pairs_.size(), 0);
    for (std::size_t k = 0; k < pairs_.size(); ++k)
      for (std::size_t i = 0; i < segments.size(); ++i) {
        const double* quantity = values[2 * k].data() + i * (nodes + 2);
        const double* derivative = values[2 * k + 1].data() + i * (nodes + 2);
        double sum = 0;
        for (int n = 0; n < nodes; ++n) sum += rule_[std::size_t(n)].weight * derivative[n];
        missed[k].push_back(quantity[nodes + 1] - quantity[nodes] -
                            sum * (segments[i].b - segments[i].a));
        if (remember) largest_[k] = std::max(largest_[k], std::fabs(quantity[nodes]));
      }
    return missed;
  }

  /// Halves a segment, and goes on with the half that misses more.
  Jump follow(std::size_t k, Segment segment, double missed) {
    constexpr double stays = 0.3;  // of what the whole segment misses: a smooth layer is seen
    for (int n = 0; n < halvings; ++n) {
      const double middle = (segment.a + segment.b) / 2;
      if (middle <= segment.a || middle >= segment.b) break;
      Segment lower = segment, upper = segment;
      lower.b = upper.a = middle;
      const auto halves = missing({lower, upper}, false);
      const bool first = std::fabs(halves[k][0]) >= std::fabs(halves[k][1]);
      segment = first ? lower : upper;
      if (const double now = halves[k][first ? 0 : 1]; std::fabs(now) < stays * std::fabs(missed))
        return {};
      else
        missed = std::fabs(now) > std::fabs(missed) ? missed : now;
    }
    segment.x[coordinate_] = (segment.a + segment.b) / 2;
    const Scope scope{run_.problem, Scope::Use::formula};
    return {print(*pairs_[k].quantity, scope), print(*pairs_[k].derivative, scope),
            std::fabs(missed), std::fabs(missed) / largest_[k], segment.x};
  }

  const Run& run_;
  const std::span<const double> p_;
  ThreadPool& pool_;
  const std::vector<Pair> pairs_;
  const std::size_t coordinate_;
  const std::vector<GaussPoint> rule_ = gauss_points(nodes, {0, 1});
  std::unique_ptr<Formulas> formulas_;
  std::vector<double> largest_;  ///< |quantity| of each pair
};

}  // namespace

std::vector<Jump> hidden_jumps(const Run& run, const std::shared_ptr<const Model>& model,
                               std::span<const double> p, ThreadPool& pool,
                               const std::shared_ptr<StepCache>& cache) {
  const Pairs pairs(run.problem);
  std::vector<Jump> all;
  for (int c = 0; c < int(run.problem.coordinates.size()); ++c) {
    std::vector<Pair> along;
    for (const Pair& pair : pairs.all())
      if (pair.coordinate == c) along.push_back(pair);
    if (along.empty()) continue;
    for (Jump& jump : Line(run, model, p, pool, cache, std::move(along), c).jumps())
      all.push_back(std::move(jump));
  }
  return all;
}

}  // namespace pinn
