#pragma once
#include <string>

#include "solvers/train/files/checkpoint.h"

namespace pinn {

/// Which parts of a checkpoint contradict each other in what they say there is, in words: one says
/// "nothing yet", and another has it. Empty where none do.
std::string disagreement(const Checkpoint& checkpoint);

}  // namespace pinn
