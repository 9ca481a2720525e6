#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/problem/evaluate.h"
#include "solvers/problem/mistakes.h"
#include "solvers/problem/problem.h"
#include "solvers/problem/tables.h"

namespace pinn {

/// A number of every point by a formula of the coordinates: what its squares count for, how densely
/// points are drawn there.
class PointFormula {
 public:
  enum class Sign { not_negative, positive };

  /// `what` it is, for messages: "weight".
  ///
  ///   errors   ConfigError as parse_expression has it, for what is no formula of coordinates and
  ///            constants
  PointFormula(std::string what, const Text& text, Sign sign, const Problem& problem,
               Warnings& warnings);

  const std::string& text() const { return text_.value; }
  /// True if it is the same number everywhere.
  bool is_constant() const;
  /// Errors: ConfigError, with the place in the file and the point, where it is not finite or of
  /// the wrong sign.
  double operator()(std::span<const double> x) const;
  /// Throws what some evenly spread points of a region, or these [count, coordinates], throw; and
  /// what is beyond the range of a table there.
  void check(const Region& region) const;
  void check(std::span<const double> x) const;

 private:
  void must_be_known(std::span<const double> x) const;

  std::string what_;
  Text text_;
  Sign sign_;
  std::vector<Coordinate> coordinates_;
  ExpressionPtr formula_;
  Evaluator value_;
  TableRequests tables_;
};

}  // namespace pinn
