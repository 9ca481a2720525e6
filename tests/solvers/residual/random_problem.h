#pragma once
#include "tests/solvers/residual/both_ways.h"

namespace pinn::test {

/// A small problem made at random, and parameters to evaluate it at: one to three coordinates, one
/// or two fields, expressions of all ops of the language with derivatives of up to four orders, on
/// the inside, on the boundary (normals), at data (columns), across a period; hard constraints,
/// unknowns, a network of random layers and activations.
struct RandomProblem {
  LossCase loss;
  std::vector<double> parameters;
  std::vector<ExpressionPtr> formulas;  ///< of fields and coordinates, to be evaluated at points
  std::string text;                     ///< what it asks, for messages
};

/// The same problem for the same number.
RandomProblem random_problem(std::uint64_t number);

}  // namespace pinn::test
