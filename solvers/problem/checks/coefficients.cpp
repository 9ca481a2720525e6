// Factors of highest derivatives that jump within what one network has to follow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/geometry/measure.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;
using Point = std::vector<double>;

constexpr int lines = 12, samples = 400;  ///< through the domain, and on each
constexpr double much = 0.2;              ///< of the factor: less is no matter
constexpr double most_of_it = 0.5;        ///< of all that it changes by on a line

/// The factor of the highest derivative of a field by one coordinate, at any place: what a residual
/// gains where the field is 1 + (x - s)^m / m! and s is the place, an unknown more.
class Factor {
 public:
  Factor(const Problem& problem, const ExpressionPtr& residual, int field, int by, int order)
      : by_(std::size_t(by)),
        unknowns_(starts(problem)),
        value_(*gain(problem, residual, field, by, order).e) {}

  double operator()(const Point& x) const {
    std::vector<double> unknowns = unknowns_;
    unknowns.push_back(x[by_]);
    return value_({.coordinates = x, .unknowns = unknowns});
  }

 private:
  static Formula gain(const Problem& problem, const ExpressionPtr& residual, int field, int by,
                      int order) {
    const Formula x(make_leaf(Kind::coordinate, by));
    const Formula s(make_leaf(Kind::unknown, int(problem.unknowns.size())));
    const ExpressionPtr curved =
        (Formula(1) + power(x - s, order) / Formula(std::tgamma(order + 1))).e;
    const auto plain = [](int) { return make_number(1); };
    const auto bent = [&](int f) { return f == field ? curved : make_number(1); };
    return Formula(with_fields(residual, bent)) - Formula(with_fields(residual, plain));
  }

  std::size_t by_;
  std::vector<double> unknowns_;
  Evaluator value_;
};

/// A place where a factor jumps on a line along a coordinate, and from what to what.
struct Jump {
  Point at;
  double from = 0, to = 0;
};

/// Between two points of a line, of which one has one value and the other the other.
Point place_between(const Factor& factor, Point a, Point b, std::size_t along) {
  constexpr int halvings = 40;
  const double first = factor(a), last = factor(b);
  for (int k = 0; k < halvings; ++k) {
    Point middle = a;
    middle[along] = (a[along] + b[along]) / 2;
    const double value = factor(middle);
    (std::fabs(value - first) < std::fabs(value - last) ? a : b) = middle;
  }
  return b;
}

// A jump is most of what there is, and flat on both sides: a pole at an end is none.
std::optional<Jump> jump_on_line(const Problem& problem, const Factor& factor, Point through,
                                 std::size_t along) {
  const Coordinate& c = problem.coordinates[along];
  std::vector<Point> x;
  std::vector<double> f;
  for (int k = 0; k < samples; ++k) {
    through[along] = c.lower + (c.upper - c.lower) * (k + 0.5) / samples;
    x.push_back(through);
    f.push_back(in_domain(problem, through) ? factor(through) : NAN);
  }
  double lower = INFINITY, upper = -INFINITY, largest = 0;
  for (const double v : f)
    if (std::isfinite(v))
      lower = std::min(lower, v), upper = std::max(upper, v),
      largest = std::max(largest, std::fabs(v));
  if (!(upper - lower > much * largest)) return {};
  for (std::size_t k = 2; k + 3 < f.size(); ++k) {
    const double step = std::fabs(f[k + 1] - f[k]);
    const double beside = std::max(std::fabs(f[k] - f[k - 2]), std::fabs(f[k + 3] - f[k + 1]));
    if (step > most_of_it * (upper - lower) && beside < 0.3 * step)
      return Jump{place_between(factor, x[k], x[k + 1], along), f[k], f[k + 1]};
  }
  return {};
}

/// A jump along one of the coordinates; whether it is all across a plane of that coordinate.
struct FoundJump {
  Jump jump;
  int along = 0;
  bool plane = true;
};
std::optional<FoundJump> jump_of(const Problem& problem, const Factor& factor) {
  const auto through = spread_points(*interior(problem), lines, 100'000);
  for (std::size_t c = 0; c < problem.coordinates.size(); ++c) {
    const Coordinate& along = problem.coordinates[c];
    if (along.role == Role::parameter) continue;
    std::optional<FoundJump> found;
    for (const Point& x : through) {
      const auto jump = jump_on_line(problem, factor, x, c);
      if (!jump && found) found->plane = false;
      if (!jump) continue;
      if (!found) found = FoundJump{*jump, int(c), &x == &through[0]};
      const double off = std::fabs(jump->at[c] - found->jump.at[c]);
      if (off > 1e-6 * (along.upper - along.lower)) found->plane = false;
    }
    if (found) return found;
  }
  return {};
}

}  // namespace

std::string derivative_text(const Problem& problem, int field, int by, int order) {
  std::string text = problem.fields[std::size_t(field)].name + "_";
  for (int k = 0; k < order; ++k) text += problem.coordinates[std::size_t(by)].name;
  return text;
}

std::string halves_text(const Problem& problem, const std::vector<std::string>& fields, int along,
                        double place) {
  const Coordinate& x = problem.coordinates[std::size_t(along)];
  const bool alone = x.role == Role::space && space_coordinates(problem).size() == 1;
  std::string text;
  for (const std::string& field : fields)
    text +=
        fmt::format("[problem.fields.{}] network = {{ low = \"low\", high = \"high\" }}, ", field);
  return text + fmt::format(
                    "[problem.regions] low = {{ interval = {{ range = [{:g}, {:.6g}] }}{} "
                    "}} and high = \"box - low\"",
                    x.lower, place, alone ? "" : fmt::format(", over = [\"{}\"]", x.name));
}

namespace {

/// Conditions across a plane of a coordinate: the field goes on, and its derivatives below the
/// highest.
std::string matching_text(const Problem& problem, int field, int along, int highest) {
  const std::string& u = problem.fields[std::size_t(field)].name;
  std::string text = fmt::format("\"jump({}) = 0\"", u);
  for (int k = 1; k < highest; ++k)
    text += fmt::format(", \"jump({}) = 0\"", derivative_text(problem, field, along, k));
  return text;
}

/// The tables that cut a field in two where its equation's factor jumps.
std::string pieces_text(const Problem& problem, const FoundJump& found, int field, int highest) {
  const double place = found.jump.at[std::size_t(found.along)];
  return fmt::format(
      "give each side a network, and say what goes on across: {}, [[condition]] on = \"{} = "
      "{:.6g}\" with residual = [{}], and two [[network]], of name = \"low\" and \"high\"",
      halves_text(problem, {problem.fields[std::size_t(field)].name}, found.along, place),
      problem.coordinates[std::size_t(found.along)].name, place,
      matching_text(problem, field, found.along, highest));
}

std::string fix_of_jump(const Problem& problem, const FoundJump& found, int field, int highest) {
  const std::string flux = "; where a flux k*u_x goes through, that is what does not jump";
  if (found.plane) return pieces_text(problem, found, field, highest) + flux;
  const std::string& u = problem.fields[std::size_t(field)].name;
  return fmt::format(
             "cut {0} into pieces in [problem.regions], a network for each, and ask for jump({0}) "
             "= "
             "0 and what else goes on across on = \"interface(A, B)\"",
             u) +
         flux;
}

/// "x = 0.5" where a jump is all across a plane; else one place of it.
std::string place_of_jump(const Problem& problem, const FoundJump& found) {
  const std::size_t c = std::size_t(found.along);
  return found.plane ? fmt::format("{} = {:.6g}", problem.coordinates[c].name, found.jump.at[c])
                     : place_text(problem.coordinates, found.jump.at);
}

bool is_at_points(const Expression& e) {
  constexpr Kind others[] = {Kind::whole, Kind::elsewhere, Kind::integral,
                             Kind::bound, Kind::before,    Kind::normal};
  return std::ranges::none_of(others, [&](Kind kind) { return contains(e, kind); });
}

/// True of a formula that may jump or be as steep: most can not, and need not be looked at.
bool may_jump(const Expression& e) {
  return std::ranges::any_of(in_order(e), [](const Expression* node) {
    return node->kind == Kind::lookup || node->kind == Kind::by_region ||
           (node->kind == Kind::call &&
            (node->name == "where" || node->name == "sign" || node->name == "step" ||
             node->name == "tanh" || node->name == "sigmoid" || node->name == "erf" ||
             node->name == "atan" || node->name == "exp" || !comparison_sign(node->name).empty()));
  });
}

void add_jump(const Problem& problem, const FieldUses& uses, const Residual& residual,
              Warnings& warnings) {
  Needs suspicious;  // of terms that may jump themselves: a source beside them is no matter
  for (const ExpressionPtr& term : summands(residual.expression))
    if (may_jump(*term)) suspicious.merge(needs(*term));
  for (const Need& need : suspicious) {
    const std::size_t f = std::size_t(need.field);
    if (!problem.fields[f].piece_of.empty()) continue;
    for (int c = 0; c < int(problem.coordinates.size()); ++c) {
      const int by = need.index[std::size_t(c)];
      if (by == 0 || by != order(need.index) || by != uses.highest_order(c, need.field)) continue;
      const auto found = jump_of(problem, Factor(problem, residual.expression, need.field, c, by));
      if (!found) continue;
      const double sign = found->jump.from < 0 && found->jump.to < 0 ? -1 : 1;  // of a side of =
      warnings.push_back(report(
          residual.text, {0, residual.text.value.size()},
          fmt::format("in '{}' what stands before {} jumps from {:.4g} to {:.4g} at {}, and "
                      "{} has one network: its derivatives jump there, too, and those of "
                      "the network do not",
                      residual.name, derivative_text(problem, need.field, c, by),
                      sign * found->jump.from, sign * found->jump.to,
                      place_of_jump(problem, *found), problem.fields[f].name),
          fix_of_jump(problem, *found, need.field, uses.highest_order(found->along, need.field))));
      return;
    }
  }
}

}  // namespace

Warnings jumping_coefficients(const Problem& problem) {
  Warnings warnings;
  const FieldUses uses(problem);
  for (const Requirement& r : problem.requirements) {
    if (r.kind != Requirement::Kind::equation || !r.region || is_integral(r)) continue;
    for (const Residual& residual : r.residuals)
      if (is_at_points(*residual.expression)) add_jump(problem, uses, residual, warnings);
  }
  return warnings;
}

}  // namespace pinn
