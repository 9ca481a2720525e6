#include "configs/choice/course.h"

#include <algorithm>
#include <cmath>

#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/parse.h"

namespace pinn::config {
namespace {

constexpr double near_pole = 1e-4, nearer_pole = 1e-6;  ///< of the coordinate's length
constexpr double whole_enough = 0.05;                   ///< of a power that counts as a whole one
constexpr int most_power = 4;

/// Root mean square of a formula on a slice of the domain.
double size_at(const Problem& problem, const Evaluator& value, std::size_t coordinate, double at) {
  const std::vector<double> unknowns = starts(problem);
  double squares = 0, count = 0;
  for (std::vector<double> x : some_points(*interior(problem))) {
    x[coordinate] = at;
    const double v = value({.coordinates = x, .unknowns = unknowns});
    if (!std::isfinite(v)) continue;
    squares += v * v;
    ++count;
  }
  return count > 0 ? std::sqrt(squares / count) : 0;
}

/// The whole power by which a formula grows towards an end of a coordinate; 0: it does not so.
int power_at(const Problem& problem, const Evaluator& value, std::size_t coordinate, bool upper) {
  const Coordinate& c = problem.coordinates[coordinate];
  const double end = upper ? c.upper : c.lower, inwards = (upper ? -1 : 1) * (c.upper - c.lower);
  const double far = size_at(problem, value, coordinate, end + near_pole * inwards);
  const double close = size_at(problem, value, coordinate, end + nearer_pole * inwards);
  if (!(far > 0) || !(close > 0)) return 0;
  const double power = std::log(close / far) / std::log(near_pole / nearer_pole);
  const double whole = std::round(power);
  return whole >= 1 && whole <= most_power && std::fabs(power - whole) < whole_enough ? int(whole)
                                                                                      : 0;
}

bool is_plain(const Problem& problem, const Requirement& r) {
  constexpr Expression::Kind others[] = {Expression::Kind::column, Expression::Kind::normal,
                                         Expression::Kind::before, Expression::Kind::by_region,
                                         Expression::Kind::whole,  Expression::Kind::elsewhere,
                                         Expression::Kind::bound,  Expression::Kind::integral};
  return r.kind == Requirement::Kind::equation && r.region && !is_integral(r) && !problem.domain &&
         !problem.pieces && std::ranges::none_of(r.residuals, [&](const Residual& residual) {
           return std::ranges::any_of(
               others, [&](auto kind) { return contains(*residual.expression, kind); });
         });
}

}  // namespace

ExpressionPtr pole_factor(const Problem& problem, const Requirement& equation) {
  if (!is_plain(problem, equation)) return nullptr;
  const FieldFormulas fields = possible_fields(problem, 0);
  std::vector<Evaluator> terms;
  for (const Residual& residual : equation.residuals)
    for (const ExpressionPtr& term : summands(residual.expression))
      if (dependence(*term).fields) terms.emplace_back(*with_fields(term, fields));
  Formula factor(1);
  bool any = false;
  for (std::size_t c = 0; c < problem.coordinates.size(); ++c) {
    const Coordinate& along = problem.coordinates[c];
    if (along.role != Role::space || problem.periodic[c]) continue;
    const Formula x(make_leaf(Expression::Kind::coordinate, int(c)));
    for (const bool upper : {false, true}) {
      int power_of_end = 0;
      for (const Evaluator& term : terms)
        power_of_end = std::max(power_of_end, power_at(problem, term, c, upper));
      const Formula distance = upper ? Formula(along.upper) - x : x - Formula(along.lower);
      const Formula share = Formula(2 / (along.upper - along.lower)) * distance;
      for (int k = 0; k < power_of_end; ++k) factor = any ? factor * share : share, any = true;
    }
  }
  return any ? factor.e : nullptr;
}

}  // namespace pinn::config
