#pragma once
#include <vector>

namespace pinn {

/// A rule for integrals over (0, 1).
struct GaussRule {
  std::vector<double> nodes, weights;
};

/// Gauss and Legendre's rule of so many nodes, at least one: exact for polynomials up to degree
/// 2 count - 1. Its numbers are right to a few units in the last place.
const GaussRule& gauss_rule(int count);

}  // namespace pinn
