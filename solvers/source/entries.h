#pragma once
#include <string>

#include "autograd/core/numbers.h"
#include "solvers/source/parts.h"

namespace pinn {

/// The functions of a C file that others call, NAME_at and NAME_block. They take points to the
/// parts `part_0`, `part_1` ... (autograd/c_text) by windows of time and by `distances`, block by
/// block.
std::string c_entries(const std::string& name, std::size_t inputs, std::size_t outputs,
                      const SourceParts& parts, DType dtype);

}  // namespace pinn
