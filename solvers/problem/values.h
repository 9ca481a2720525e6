#pragma once
#include <string>
#include <vector>

#include "solvers/problem/expression.h"
#include "solvers/problem/mistakes.h"
#include "solvers/problem/names.h"

namespace pinn {

/// A number of a formula as a whole: of its values all over a region, or of that at one place.
struct Functional {
  enum class Kind { integral, mean, max, min, at };
  Kind kind = Kind::integral;
  ExpressionPtr of;  ///< of fields, derivatives, coordinates; where it lies, the normal
  std::vector<double> point = {};  ///< of `at`, [coordinates]
};

/// A number made of functionals: they stand in `formula` as columns, by their index here, beside
/// numbers and unknowns.
struct ValueFormula {
  ExpressionPtr formula;
  std::vector<Functional> functionals;

  /// True if any part of it is taken over a region, and not at a place.
  bool has_region() const;
};

/// A value such as "2*integral(dot(grad(u), n))/k": integral(e), mean(e), max(e) and min(e) over a
/// region, at(e, x = 1, y = 0) with every coordinate; constants, unknowns and functions of all
/// these.
///
///   inside   what their formulas may use: the names of a residual, the normal where the region has
///            one
///   errors   ConfigError with every mistake of the text, each with its place
ValueFormula parse_value(const Text& text, const Scope& inside, Warnings& warnings);

}  // namespace pinn
