#pragma once
#include <vector>

#include "solvers/problem/names.h"

namespace pinn {

/// A name and what it stands for, as the file has them.
struct Definition {
  Text name;
  Text text;
};

/// Fills problem.constants, in the order given; they may refer to one another in any order.
///
///   errors   ConfigError with every mistake: those of parse_constant, and circles
void declare_constants(const std::vector<Definition>& definitions, Problem& problem);

/// Fills problem.defines, in the order given; they may use everything a residual in the interior
/// may, and one another in any order. Coordinates, fields, constants and unknowns must be there
/// already.
///
///   errors   ConfigError with every mistake: those of parse_expression, and circles
void declare_defines(const std::vector<Definition>& definitions, Problem& problem,
                     Warnings& warnings);

}  // namespace pinn
