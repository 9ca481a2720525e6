#pragma once
#include <string>

#include "solvers/problem/names.h"

namespace pinn {

/// The expression as text that parse_expression reads as the same tree: defines are written out,
/// constants keep their names, derivatives of fields are u_xx where that can be read in one way
/// only.
std::string print(const Expression& expression, const Scope& scope);

}  // namespace pinn
