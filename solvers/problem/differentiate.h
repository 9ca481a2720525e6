#pragma once
#include <vector>

#include "solvers/problem/expression.h"

namespace pinn {

/// The derivative by a coordinate of an expression without fields and derivatives; unknowns,
/// columns and normals count as constants. Exact; zeros and ones are folded, and what is shared
/// stays shared.
///
///   errors   InternalError when it has a field, a derivative or N
ExpressionPtr differentiate(const ExpressionPtr& expression, int coordinate);

/// The expression with formulas of the coordinates in the place of fields (and of N, where given),
/// and every derivative carried out: with an exact solution in the place of the fields a residual
/// is 0.
///
///   fields   one per field of the problem; null where it is not used
ExpressionPtr substitute_fields(const ExpressionPtr& expression,
                                const std::vector<ExpressionPtr>& fields,
                                const ExpressionPtr& raw_output = nullptr);

}  // namespace pinn
