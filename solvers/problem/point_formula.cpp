#include "solvers/problem/point_formula.h"

#include <fmt/format.h>

#include <cmath>

#include "data/geometry/measure.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

constexpr int points_of_part = 2000, candidates_of_part = 200'000;

ExpressionPtr parsed(const Text& text, const Problem& problem, Warnings& warnings) {
  return parse_expression(text, {problem, Scope::Use::formula}, warnings);
}

}  // namespace

PointFormula::PointFormula(std::string what, const Text& text, Sign sign, const Problem& problem,
                           Warnings& warnings)
    : what_(std::move(what)),
      text_(text),
      sign_(sign),
      coordinates_(problem.coordinates),
      formula_(parsed(text, problem, warnings)),
      value_(*formula_),
      tables_(*formula_) {}

bool PointFormula::is_constant() const { return pinn::is_constant(*formula_); }

double PointFormula::operator()(std::span<const double> x) const {
  const double value = value_({.coordinates = x});
  const bool good = sign_ == Sign::positive ? value > 0 : value >= 0;
  if (good && std::isfinite(value)) return value;
  throw ConfigError(
      report(text_, {0, text_.value.size()},
             fmt::format("the {} is {:.3g} at {}", what_, std::isnan(value) ? NAN : value,
                         place_text(coordinates_, x)),
             sign_ == Sign::positive
                 ? "write a formula that is above 0: where none is drawn, no mean can be told"
                 : "write a formula that is finite and nowhere below 0"));
}

void PointFormula::must_be_known(std::span<const double> x) const {
  if (const std::optional<std::string> wrong = tables_.beyond(x))
    throw ConfigError(report(text_, {0, text_.value.size()},
                             fmt::format("{}; that is at {}", *wrong, place_text(coordinates_, x)),
                             beyond_fix));
}

void PointFormula::check(const Region& region) const {
  for (const Region* part : region.parts())
    for (const std::vector<double>& x : spread_points(*part, points_of_part, candidates_of_part)) {
      must_be_known(x);
      (*this)(x);
    }
}

void PointFormula::check(std::span<const double> x) const {
  const std::size_t d = coordinates_.size();
  for (std::size_t i = 0; i < x.size(); i += d) {
    must_be_known(x.subspan(i, d));
    (*this)(x.subspan(i, d));
  }
}

}  // namespace pinn
