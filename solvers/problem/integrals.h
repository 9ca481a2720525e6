#pragma once
#include <vector>

#include "solvers/problem/expression.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// Nodes of an integral within a formula, where nothing else is said.
inline constexpr int usual_nodes = 16;

struct Scope;
/// Sets in a scope the integrals that the residuals of a requirement may use.
void set_integrals(const Requirement& requirement, Scope& scope);

/// True if residuals are made of integrals over all of `on`: numbers, and not functions of points.
bool is_integral(const Requirement& requirement);

/// Residuals made of integrals: formulas in which these stand as columns, by their index.
struct WholeForm {
  std::vector<ExpressionPtr> formulas;  ///< of numbers, unknowns and columns, one per residual
  std::vector<ExpressionPtr> of;        ///< what is integrated
  std::vector<bool> mean;               ///< and whether the measure divides it
};
WholeForm whole_form(const Requirement& requirement);

/// The same points, and what is integrated as their residuals; any other requirement is itself.
Requirement integrands_of(const Requirement& requirement);

/// How many nodes a formula has once its integrals over bound numbers are written out, and those of
/// a whole region as so many.
double expanded_size(const Expression& e, int nodes, double of_whole = 1);
/// The formula with these integrals as sums over the nodes of Gauss and Legendre.
ExpressionPtr expanded(const ExpressionPtr& e, int nodes);

/// Places of some coordinates, with the weights of a rule over them.
struct PlaceRule {
  MultiIndex marked{};                      ///< which coordinates
  std::vector<std::vector<double>> places;  ///< [nodes][coordinates that are marked]
  std::vector<double> weights;              ///< [nodes]
};
/// The formula with integrals over all of these coordinates as sums over the nodes of a rule.
ExpressionPtr summed(const ExpressionPtr& e, const PlaceRule& rule);

/// A formula without fields at other coordinates: simultaneously each that is marked is replaced.
ExpressionPtr with_places(const ExpressionPtr& e, const MultiIndex& marked,
                          const std::vector<ExpressionPtr>& places);

}  // namespace pinn
