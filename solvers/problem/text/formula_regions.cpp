#include <algorithm>

#include "data/geometry/cut.h"
#include "data/geometry/implicit.h"
#include "data/geometry/lifted.h"
#include "data/geometry/measure.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

/// A formula of all coordinates at places of space.
class OfSpace {
 public:
  OfSpace(const ExpressionPtr& formula, std::vector<int> space, std::vector<double> x)
      : value_(*formula), space_(std::move(space)), x_(std::move(x)) {}

  double operator()(std::span<const double> place) const {
    std::vector<double> x = x_;
    for (std::size_t k = 0; k < space_.size(); ++k) x[std::size_t(space_[k])] = place[k];
    return value_({.coordinates = x});
  }

 private:
  const Evaluator value_;
  const std::vector<int> space_;
  const std::vector<double> x_;  ///< the other coordinates
};

std::vector<double> lower_corner(const Problem& problem) {
  std::vector<double> x;
  for (const Coordinate& c : problem.coordinates) x.push_back(c.lower);
  return x;
}

}  // namespace

NamedRegion where_region(const std::string& name, const Text& conditions, const Problem& problem) {
  const auto formulas = parse_conditions(conditions, {problem, Scope::Use::formula});
  const std::vector<int> space = space_coordinates(problem);
  std::vector<Interval> box;
  for (const int c : space)
    box.push_back(
        {problem.coordinates[std::size_t(c)].lower, problem.coordinates[std::size_t(c)].upper});
  const auto at = [formulas, space, box](std::span<const double> x) {
    std::vector<std::shared_ptr<const OfSpace>> all;
    for (const ExpressionPtr& f : formulas)
      all.push_back(std::make_shared<const OfSpace>(f, space, std::vector(x.begin(), x.end())));
    return make_where(
        [all](std::span<const double> place) {
          return std::ranges::all_of(all, [&](const auto& f) { return (*f)(place) != 0; });
        },
        box);
  };
  std::vector<int> depends;
  for (int c = 0; c < int(problem.coordinates.size()); ++c) {
    const auto is_on = [&](const ExpressionPtr& f) { return dependence(*f).on(c); };
    if (std::ranges::find(space, c) == space.end() && std::ranges::any_of(formulas, is_on))
      depends.push_back(c);
  }
  const std::vector<double> lower = lower_corner(problem);
  if (!depends.empty()) return {name, Body(at, depends, lower)};
  const ShapePtr shape = at(lower);
  if (!keeps_any(*shape->interior(), 1 << 16))
    throw ConfigError(report(conditions, "nothing is left of a region: these hold nowhere",
                             "see whether they meet within the ranges of the coordinates"));
  return {name, shape};
}

NamedRegion implicit_region(const std::string& name, const Text& formula,
                            const std::vector<double>& lower, const std::vector<double>& upper,
                            const Problem& problem) {
  Warnings none;
  const ExpressionPtr value = parse_expression(formula, {problem, Scope::Use::formula}, none);
  const std::vector<int> space = space_coordinates(problem);
  for (int c = 0; c < int(problem.coordinates.size()); ++c)
    if (std::ranges::find(space, c) == space.end() && dependence(*value).on(c))
      throw ConfigError(report(formula,
                               "not yet: implicit shapes that change with " +
                                   quoted(problem.coordinates[std::size_t(c)].name),
                               "move one by `transform`, or use shapes of the table"));
  for (const auto& [corner, numbers] : {std::pair("lower", &lower), std::pair("upper", &upper)})
    if (numbers->size() != space.size())
      throw ConfigError({"the box of a shape has another number of coordinates than space", corner,
                         "give a number per coordinate of space"});
  LevelSet level{
      .value = OfSpace(value, space, lower_corner(problem)), .lower = lower, .upper = upper};
  std::vector<std::shared_ptr<const OfSpace>> slopes;
  for (const int c : space)
    slopes.push_back(
        std::make_shared<const OfSpace>(differentiate(value, c), space, lower_corner(problem)));
  level.gradient = [slopes](std::span<const double> x, std::span<double> g) {
    for (std::size_t k = 0; k < slopes.size(); ++k) g[k] = (*slopes[k])(x);
  };
  try {
    return {name, make_implicit(std::move(level))};
  } catch (const ConfigError& error) {
    Report report = error.report;
    const bool is_corner = report.where == "lower" || report.where == "upper";
    if (!is_corner && report.where != "its formula") report.what += ", " + report.where;
    if (!is_corner) report.where = "formula";
    throw ConfigError(report);
  }
}

}  // namespace pinn
