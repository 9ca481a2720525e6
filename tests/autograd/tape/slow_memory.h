#pragma once
#include "tests/autograd/tape/random_program.h"

namespace pinn::test {

/// Results of a program: its result and the result's derivatives by the inputs z.
struct Derivatives {
  double value = 0;
  double along = 0;               ///< along v
  std::vector<double> gradient;   ///< by each input
  std::vector<double> curvature;  ///< of each entry of the gradient, along v
  double largest = 1;             ///< number on the way, for tolerances
};

/// Interprets the program number by number on plain memory, in which every number carries its
/// derivatives: views are windows on memory, and a change in place writes into it. What is not
/// recorded changes values and derivatives along v, but no gradient; a detached tensor has the
/// values alone.
///
///   by_gradient   the inputs require a gradient, so that unrecorded views are cut off from it
Derivatives interpret(const RandomProgram& program, const std::vector<double>& z,
                      const std::vector<double>& v, bool by_gradient = true);

}  // namespace pinn::test
