#pragma once
#include "solvers/problem/needs.h"
#include "solvers/residual/model.h"

namespace pinn {

/// How derivatives of the network are taken; the numbers are the same.
enum class Derivatives { taylor, reverse };
inline const char* name_of(Derivatives d) {
  return d == Derivatives::taylor ? "taylor" : "reverse";
}

/// The channels that hold everything asked for, of all fields together.
JetTablePtr table_for(const Needs& needs);

/// Multiplications in matrix products per point, for one residual evaluation with its parameter
/// gradient: counted by doing it both ways on a few points. Nested reverse passes of which there
/// are too many are not tried, and infinitely dear: each is up to twice as long as what it
/// differentiates, and all of it is kept.
struct ProductCount {
  double taylor = 0, reverse = 0;
  Derivatives cheaper() const {
    return reverse < taylor ? Derivatives::reverse : Derivatives::taylor;
  }
};
ProductCount count_products(const Model& model, const Requirement& requirement);

}  // namespace pinn
