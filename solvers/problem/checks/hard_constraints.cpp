#include "solvers/problem/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/problem/differentiate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/integrals.h"

namespace pinn {
namespace {

using Point = std::vector<double>;

constexpr int network_variants = 4;  ///< of what the network could give: both signs, several sizes

bool any_output(const Problem& problem) {
  return std::any_of(problem.outputs.begin(), problem.outputs.end(),
                     [](const ExpressionPtr& output) { return output != nullptr; });
}

/// A residual at some points of a part, with what the network could give; the unknowns differ from
/// variant to variant, too.
std::vector<Point> possible_values(const Problem& problem, const Region& part,
                                   const ExpressionPtr& residual) {
  std::vector<Point> values;
  for (int variant = 0; variant < network_variants; ++variant) {
    Point unknowns = starts(problem);
    for (double& u : unknowns) u = u * (1 + 0.3 * variant) + 0.1 * variant;
    const auto possible = with_fields(residual, possible_fields(problem, variant));
    values.push_back(values_on(part, *possible, unknowns));
  }
  return values;
}

/// True if all variants have the same values at all points; false for a part so thin that no point
/// was found.
bool agree(const std::vector<Point>& values) {
  if (values[0].empty()) return false;
  for (const Point& other : values)
    for (std::size_t i = 0; i < other.size(); ++i)
      if (!(std::fabs(other[i] - values[0][i]) <= 1e-9 * (1 + std::fabs(values[0][i]))))
        return false;
  return true;
}

}  // namespace

bool decides(const Problem& problem, std::size_t field, const Region& region, int coordinate,
             int order) {
  if (field >= problem.outputs.size() || !problem.outputs[field]) return false;
  MultiIndex index{};
  index[std::size_t(coordinate)] = std::uint8_t(order);
  ExpressionPtr asked = make_leaf(Expression::Kind::field, int(field));
  if (order > 0) asked = make_derivative(asked, index);
  return agree(possible_values(problem, region, asked));
}

std::vector<std::string> exact_residuals(const Problem& problem) {
  std::vector<std::string> names;
  if (!any_output(problem)) return names;
  const auto vanishes = [](const Point& values) {
    return !values.empty() &&
           std::all_of(values.begin(), values.end(), [](double v) { return std::fabs(v) <= 1e-9; });
  };
  for (const Requirement& r : problem.requirements) {
    if (!r.region || is_integral(r)) continue;
    for (const Residual& residual : r.residuals) {
      const auto parts = r.region->parts();
      if (std::all_of(parts.begin(), parts.end(), [&](const Region* part) {
            const auto values = possible_values(problem, *part, residual.expression);
            return std::all_of(values.begin(), values.end(), vanishes);
          }))
        names.push_back(residual.name);
    }
  }
  return names;
}

namespace {

/// Residuals above this are no rounding of what a user wrote.
constexpr double contradiction = 1e-6;

/// The point of the region where a residual is furthest from 0 though nothing can change it there,
/// and its value; none when there is no part where nothing can.
std::optional<std::pair<Point, double>> contradicted(const Problem& problem, const Region& region,
                                                     const ExpressionPtr& residual) {
  for (const Region* part : region.parts()) {
    const std::vector<Point> values = possible_values(problem, *part, residual);
    if (!agree(values)) continue;
    const auto worst = std::max_element(values[0].begin(), values[0].end(), [](double a, double b) {
      return std::fabs(a) < std::fabs(b);
    });
    if (std::fabs(*worst) > contradiction)
      return std::pair(some_points(*part)[std::size_t(worst - values[0].begin())], *worst);
  }
  return {};
}

}  // namespace

Warnings contradictions(const Problem& problem) {
  Warnings warnings;
  if (!any_output(problem)) return warnings;
  for (const Requirement& r : problem.requirements) {
    if (!r.region || is_integral(r)) continue;
    for (const Residual& residual : r.residuals) {
      const auto found = contradicted(problem, *r.region, residual.expression);
      if (found)
        warnings.push_back(report(
            residual.text, {0, residual.text.value.size()},
            fmt::format("'{}' contradicts [network.output]: at {} it is off by {:.3g} whatever the "
                        "network gives",
                        residual.name, place_text(problem.coordinates, found->first),
                        found->second),
            "let the hard constraint have the value that this asks for, or remove one of them"));
    }
  }
  return warnings;
}

}  // namespace pinn
