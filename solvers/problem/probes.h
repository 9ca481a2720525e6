#pragma once
#include <vector>

#include "solvers/problem/problem.h"

namespace pinn {

/// A few points of a region without pattern, to try formulas at. A region of dimension 0 has one.
std::vector<std::vector<double>> some_points(const Region& part);

/// A function of all coordinates that satisfies nothing by chance, one per field and variant; those
/// of odd variants are negative, and the later ones are larger.
ExpressionPtr arbitrary(const Problem& problem, std::size_t field, int variant);

/// An arbitrary function in the place of every field, or of the network's output where the field
/// has a hard constraint: all that the network could give.
std::vector<ExpressionPtr> possible_fields(const Problem& problem, int variant);

/// Where the unknowns start.
std::vector<double> starts(const Problem& problem);

/// A formula of the coordinates (and of normals and unknowns) at some points of a part of a region.
std::vector<double> values_on(const Region& part, const Expression& formula,
                              const std::vector<double>& unknowns);

}  // namespace pinn
