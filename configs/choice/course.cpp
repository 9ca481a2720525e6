// The course of fields along one coordinate, by Rosenbrock's method of Shampine and Reichelt (SIAM
// J. Sci. Comput. 18 (1997) 1), which is stable for stiff equations.
#include "configs/choice/course.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"

namespace pinn::config {
namespace {

using Numbers = std::vector<double>;
using Kind = Expression::Kind;

constexpr double step_tolerance = 1e-5;
constexpr double most_evaluations = 4e6;  ///< of residuals: a second or two

/// Solves a x = b by elimination, both of which are lost; false where a is singular.
bool solve_small(std::vector<Numbers> a, Numbers& b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k])) pivot = i;
    if (!(std::fabs(a[pivot][k]) > 0) || !std::isfinite(a[pivot][k])) return false;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double by = a[i][k] / a[k][k];
      for (std::size_t j = k; by != 0 && j < n; ++j) a[i][j] -= by * a[k][j];
      b[i] -= by * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return std::ranges::all_of(b, [](double v) { return std::isfinite(v); });
}

double step_of(double value) { return 1e-7 * std::max(1e-3, std::fabs(value)); }

/// The zero of as many functions as there are numbers, by Newton's method from where these are.
bool find_zero(Numbers& z, const std::function<Numbers(const Numbers&)>& f) {
  for (int k = 0; k < 30; ++k) {
    Numbers value = f(z);
    std::vector<Numbers> slope(value.size(), Numbers(z.size()));
    for (std::size_t j = 0; j < z.size(); ++j) {
      Numbers beside = z;
      beside[j] += step_of(z[j]);
      const Numbers moved = f(beside);
      for (std::size_t i = 0; i < value.size(); ++i)
        slope[i][j] = (moved[i] - value[i]) / (beside[j] - z[j]);
    }
    if (!solve_small(std::move(slope), value)) return false;
    double change = 0, size = 0;
    for (std::size_t j = 0; j < z.size(); ++j) {
      z[j] -= value[j];
      change = std::max(change, std::fabs(value[j]));
      size = std::max(size, std::fabs(z[j]));
    }
    if (change <= 1e-7 * size + 1e-30) return true;
  }
  return false;
}

/// The equations of a problem as a system of first order, and where it is told.
class System {
 public:
  explicit System(const Problem& problem) : problem_(problem) {}

  /// False where the problem is none that can be followed.
  bool read() {
    const auto& p = problem_;
    if (p.coordinates.size() != 1 || p.periodic[0] || p.pieces || !p.unknowns.empty()) return false;
    const FieldUses uses(p);
    for (std::size_t f = 0; f < p.fields.size(); ++f) {
      if (p.outputs[f] || !p.fields[f].inputs.empty()) return false;
      orders_.push_back(uses.highest_order(0, int(f)));
      if (orders_.back() == 0) return false;
      begins_.push_back(states_);
      states_ += std::size_t(orders_.back());
    }
    for (const Requirement& r : p.requirements)
      if (!read(r)) return false;
    return equations_.size() == p.fields.size() && told_.size() == states_;
  }

  std::size_t states() const { return states_; }
  const std::vector<int>& orders() const { return orders_; }
  std::size_t begin(std::size_t field) const { return begins_[field]; }
  double place() const { return place_; }
  bool spent() const { return evaluations_ > most_evaluations; }

  /// The state where it is told.
  bool start(Numbers& state) {
    state.assign(states_, 0.0);
    const Numbers tops(orders_.size(), 0.0);
    return find_zero(state, [&](const Numbers& s) { return values(told_, place_, s, tops); });
  }

  /// The highest derivatives at a state; they begin from what is there.
  bool solve(double x, const Numbers& state, Numbers& tops) {
    return find_zero(tops, [&](const Numbers& z) { return values(equations_, x, state, z); });
  }

  /// The slope of the state.
  bool slope(double x, const Numbers& state, Numbers& tops, Numbers& out) {
    if (spent() || !solve(x, state, tops)) return false;
    out.resize(states_);
    for (std::size_t f = 0; f < orders_.size(); ++f)
      for (int k = 0; k < orders_[f]; ++k)
        out[begins_[f] + std::size_t(k)] =
            k + 1 < orders_[f] ? state[begins_[f] + std::size_t(k) + 1] : tops[f];
    return true;
  }

  /// True where the equations are linear in the fields, as three multiples of some state show.
  bool is_linear(double x, const Numbers& state) {
    Numbers some(states_), highest(orders_.size()), none(states_), no_tops(orders_.size());
    for (std::size_t i = 0; i < states_; ++i)
      some[i] = state[i] + std::sin(1.0 + double(i)) * (1 + std::fabs(state[i]));
    for (std::size_t f = 0; f < highest.size(); ++f) highest[f] = std::cos(2.0 + double(f));
    const auto times = [](Numbers v, double by) {
      for (double& one : v) one *= by;
      return v;
    };
    const Numbers zero = values(equations_, x, none, no_tops);
    const Numbers one = values(equations_, x, some, highest);
    const Numbers two = values(equations_, x, times(some, 2), times(highest, 2));
    for (std::size_t i = 0; i < one.size(); ++i) {
      const double size = std::fabs(zero[i]) + std::fabs(one[i]) + std::fabs(two[i]);
      if (!(std::fabs(two[i] - 2 * one[i] + zero[i]) <= 1e-9 * size)) return false;
    }
    return true;
  }

 private:
  bool read(const Requirement& r) {
    if (r.data || r.periodic || is_integral(r) || !r.region || r.places) return false;
    const bool equation = r.kind == Requirement::Kind::equation;
    if (r.region->parts().size() != 1 || r.region->dimension() != (equation ? 1 : 0)) return false;
    const Interval where = r.region->bounds()[0];
    if (equation ? where.lower > problem_.coordinates[0].lower ||
                       where.upper < problem_.coordinates[0].upper
                 : !told_.empty() && where.lower != place_)
      return false;
    if (!equation) place_ = where.lower;
    for (const Residual& residual : r.residuals) {
      constexpr Kind others[] = {Kind::column, Kind::normal,    Kind::before, Kind::by_region,
                                 Kind::whole,  Kind::elsewhere, Kind::bound,  Kind::integral};
      if (std::ranges::any_of(others, [&](Kind k) { return contains(*residual.expression, k); }))
        return false;
      (equation ? equations_ : told_)
          .emplace_back(*substitute_fields(residual.expression,
                                           std::vector<ExpressionPtr>(problem_.fields.size())));
    }
    return true;
  }

  Numbers values(const std::vector<Evaluator>& of, double x, const Numbers& state,
                 const Numbers& tops) {
    const auto field = [&](int f, const MultiIndex& order) {
      const std::size_t at = std::size_t(f);
      const int k = order[0];
      return k < orders_[at]    ? state[begins_[at] + std::size_t(k)]
             : k == orders_[at] ? tops[at]
                                : NAN;
    };
    Numbers all;
    for (const Evaluator& one : of)
      all.push_back(one({.coordinates = std::span(&x, 1), .field = field}));
    evaluations_ += double(of.size());
    return all;
  }

  const Problem& problem_;
  std::vector<int> orders_;
  std::vector<std::size_t> begins_;
  std::size_t states_ = 0;
  std::vector<Evaluator> equations_, told_;
  double place_ = 0, evaluations_ = 0;
};

/// A place on the way, and what is known there.
struct Stop {
  double x;
  Numbers state, tops;
};

/// Goes from where all is told to one end.
class Way {
 public:
  Way(System& system, double end) : system_(system), end_(end) {}

  bool go(const Stop& start, std::vector<Stop>& stops) {
    Stop at = start;
    largest_ = at.state;
    for (double& v : largest_) v = std::fabs(v);
    double h = (end_ - at.x) * 1e-6;
    while (at.x != end_) {
      if (std::fabs(h) > std::fabs(end_ - at.x) / 50 && std::fabs(h) > length(start) / 500)
        h = std::copysign(length(start) / 500, h);
      const bool last = std::fabs(h) >= std::fabs(end_ - at.x);
      if (last) h = end_ - at.x;
      Stop next = at;
      const double error = step(at, h, next);
      if (system_.spent() || !(std::fabs(h) > 1e-13 * length(start))) return false;
      if (error <= 1) {
        if (last) next.x = end_;
        at = next;
        for (std::size_t i = 0; i < largest_.size(); ++i)
          largest_[i] = std::max(largest_[i], std::fabs(at.state[i]));
        stops.push_back(at);
      }
      h *= std::isfinite(error)
               ? std::clamp(0.8 * std::pow(std::max(error, 1e-9), -1.0 / 3), 0.2, 3.0)
               : 0.2;
    }
    return true;
  }

 private:
  double length(const Stop& start) const { return std::fabs(end_ - start.x); }

  /// One step; its error by what is allowed, NAN where it cannot be taken.
  double step(const Stop& at, double h, Stop& next) {
    const std::size_t n = at.state.size();
    const double d = 1 / (2 + std::sqrt(2.0)), e = 6 + std::sqrt(2.0);
    Numbers tops = at.tops, f0, f1, f2, moved;
    if (!system_.slope(at.x, at.state, tops, f0)) return NAN;
    std::vector<Numbers> w(n, Numbers(n));
    for (std::size_t j = 0; j < n; ++j) {
      Numbers beside = at.state;
      beside[j] += 1e-7 * std::max({std::fabs(beside[j]), 1e-3 * largest_[j], 1e-10});
      Numbers top = tops;
      if (!system_.slope(at.x, beside, top, moved)) return NAN;
      for (std::size_t i = 0; i < n; ++i)
        w[i][j] = (i == j) - h * d * (moved[i] - f0[i]) / (beside[j] - at.state[j]);
    }
    const double dx = 1e-6 * h;
    Numbers top = tops, by_x(n);
    if (!system_.slope(at.x + dx, at.state, top, moved)) return NAN;
    for (std::size_t i = 0; i < n; ++i) by_x[i] = h * d * (moved[i] - f0[i]) / dx;
    Numbers k1(n), k2(n), k3(n), state = at.state;
    for (std::size_t i = 0; i < n; ++i) k1[i] = f0[i] + by_x[i];
    if (!solve_small(w, k1)) return NAN;
    for (std::size_t i = 0; i < n; ++i) state[i] = at.state[i] + h / 2 * k1[i];
    top = tops;
    if (!system_.slope(at.x + h / 2, state, top, f1)) return NAN;
    for (std::size_t i = 0; i < n; ++i) k2[i] = f1[i] - k1[i];
    if (!solve_small(w, k2)) return NAN;
    for (std::size_t i = 0; i < n; ++i) k2[i] += k1[i];
    for (std::size_t i = 0; i < n; ++i) state[i] = at.state[i] + h * k2[i];
    if (!system_.slope(at.x + h, state, top, f2)) return NAN;
    for (std::size_t i = 0; i < n; ++i)
      k3[i] = f2[i] - e * (k2[i] - f1[i]) - 2 * (k1[i] - f0[i]) + by_x[i];
    if (!solve_small(w, k3)) return NAN;
    double error = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double size = std::max({largest_[i], std::fabs(state[i]), 1e-12});
      error = std::max(error, std::fabs(h / 6 * (k1[i] - 2 * k2[i] + k3[i])) / size);
    }
    next = {at.x + h, state, top};
    return error / step_tolerance;
  }

  System& system_;
  const double end_;
  Numbers largest_;  ///< of each number of the state, so far
};

}  // namespace

std::optional<Course> course_of(const Problem& problem) {
  System system(problem);
  if (!system.read()) return {};
  Stop start{system.place(), {}, Numbers(problem.fields.size())};
  if (!system.start(start.state) || !system.solve(start.x, start.state, start.tops)) return {};
  const Coordinate& along = problem.coordinates[0];
  std::vector<Stop> before, stops;
  if (start.x > along.lower && !Way(system, along.lower).go(start, before)) return {};
  std::ranges::reverse(before);
  stops = before;
  stops.push_back(start);
  if (start.x < along.upper && !Way(system, along.upper).go(start, stops)) return {};
  Course course;
  course.from = start.x;
  course.linear = system.is_linear(start.x, start.state);
  for (std::size_t f = 0; f < problem.fields.size(); ++f)
    course.fields.emplace_back(std::size_t(system.orders()[f]) + 1);
  for (std::size_t i = 0; i < stops.size(); ++i) {
    const Stop& at = stops[i];
    course.x.push_back(at.x);
    const double left = i == 0 ? at.x : stops[i - 1].x;
    const double right = i + 1 == stops.size() ? at.x : stops[i + 1].x;
    course.share.push_back((right - left) / 2 / (along.upper - along.lower));
    for (std::size_t f = 0; f < course.fields.size(); ++f)
      for (std::size_t k = 0; k < course.fields[f].size(); ++k)
        course.fields[f][k].push_back(
            k + 1 < course.fields[f].size() ? at.state[system.begin(f) + k] : at.tops[f]);
  }
  return course;
}

}  // namespace pinn::config
