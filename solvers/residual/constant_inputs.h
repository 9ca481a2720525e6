#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "solvers/problem/problem.h"

namespace pinn {

/// True if two formulas are the same, node by node; null is the same as null.
bool same(const ExpressionPtr& a, const ExpressionPtr& b);

/// True if two problems ask for the same but for numbers that vary. Exponents are part of what is
/// asked, and so is every number where integrals over a region are asked for.
bool same_but_for_constants(const Problem& a, const Problem& b);

/// Numbers of residuals that follow constants which vary. A compiled step takes their values as an
/// input, so that it is compiled once for all of them.
class ConstantInputs {
 public:
  ConstantInputs() = default;
  /// `pieces`: of each requirement, as it is there; none where it is in one piece.
  ConstantInputs(const Problem& problem, const std::vector<std::vector<Requirement>>& pieces);

  /// In float64, [count].
  const std::vector<double>& values() const { return values_; }
  /// Index of a number among the values; -1 where it is none of these.
  int find(const Expression& e) const;

 private:
  void add(const Requirement& requirement);

  std::vector<double> values_;
  std::unordered_map<const Expression*, int> places_;
};

}  // namespace pinn
