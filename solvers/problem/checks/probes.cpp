#include "solvers/problem/checks.h"

#include <cmath>

#include "autograd/core/random.h"
#include "data/geometry/shape.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/expression.h"

namespace pinn {

using Point = std::vector<double>;

// The additive sequence of the golden ratio's kin (roots of x^(d+1) = x + 1), M. Roberts, "The
// unreasonable effectiveness of quasirandom sequences", 2018.
std::vector<Point> some_points(const Region& part) {
  constexpr std::size_t count = 9, candidates = 100000;
  const Sampler& sampler = part.sampler();
  const std::size_t d = std::size_t(sampler.numbers()), wanted = d == 0 ? 1 : count;
  double root = 2;
  for (int i = 0; i < 60; ++i) root = std::pow(1 + root, 1.0 / double(d + 1));
  std::vector<Point> points;
  for (std::size_t k = 1; k <= candidates && points.size() < wanted; ++k) {
    Point cube(d), x(std::size_t(part.coordinates()));
    for (std::size_t j = 0; j < d; ++j)
      cube[j] = std::fmod(0.5 + double(k) * std::pow(root, -double(j + 1)), 1);
    if (sampler.sample(cube, x, {})) points.push_back(std::move(x));
  }
  return points;
}

std::vector<std::vector<bool>> some_corners(std::size_t coordinates) {
  constexpr std::size_t few = 10, count = 1000;
  std::vector<std::vector<bool>> all;
  for (std::size_t k = 0; coordinates <= few && k < std::size_t(1) << coordinates; ++k) {
    std::vector<bool>& corner = all.emplace_back();
    for (std::size_t c = 0; c < coordinates; ++c) corner.push_back((k >> c & 1) != 0);
  }
  if (coordinates <= few) return all;
  for (const bool upper : {false, true}) {
    all.emplace_back(coordinates, upper);
    for (std::size_t c = 0; c < coordinates; ++c) {
      all.emplace_back(coordinates, upper);
      all.back()[c] = !upper;
    }
  }
  const Random random{0, stream("checks", "corners"), 0};
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<bool>& corner = all.emplace_back();
    for (std::size_t c = 0; c < coordinates; ++c)
      corner.push_back(random.uniform(k * coordinates + c) < 0.5);
  }
  return all;
}

ExpressionPtr arbitrary(const Problem& problem, std::size_t field, int variant) {
  Formula phase(0.7 + 0.31 * double(field) + 1.9 * variant);
  for (std::size_t c = 0; c < problem.coordinates.size(); ++c) {
    const Coordinate& x = problem.coordinates[c];
    const double rate =
        (1.3 + 0.17 * double(c) + 0.23 * double(field) + 0.41 * variant) / (x.upper - x.lower);
    phase = phase + Formula(rate) * Formula(make_leaf(Expression::Kind::coordinate, int(c)));
  }
  const double size = (variant % 2 == 0 ? 1 : -1) * (1 + 0.7 * variant);
  return (Formula(size) * (Formula(1.5) + sin(phase))).e;
}

FieldFormulas possible_fields(const Problem& problem, int variant) {
  return [&problem, variant](int field) {
    const std::size_t f = std::size_t(field);
    const ExpressionPtr any = arbitrary(problem, f, variant);
    const bool hard = f < problem.outputs.size() && problem.outputs[f];
    return hard ? substitute_fields(problem.outputs[f], {}, any) : any;
  };
}

Point starts(const Problem& problem) {
  Point values;
  for (const Unknown& unknown : problem.unknowns) values.push_back(unknown.start);
  return values;
}

std::vector<double> values_on(const Region& part, const Expression& formula,
                              const std::vector<double>& unknowns) {
  const Evaluator value(formula);
  std::vector<double> values;
  for (const Point& x : some_points(part)) {
    Point normal(x.size(), 0.0);
    if (part.has_normal()) part.normal(x, normal);
    values.push_back(value({.coordinates = x, .unknowns = unknowns, .normal = normal}));
  }
  return values;
}

}  // namespace pinn
