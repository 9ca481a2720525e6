#pragma once
#include "solvers/residual/loss.h"
#include "solvers/train/checkpoint.h"

namespace pinn {

// The seal of a checkpoint says that the file is as it was written, not by whom: what it holds is
// checked before it is used.

/// What must be true of any checkpoint: counts within bounds, lists that go together of one length,
/// numbers finite that have to be.
///
///   errors   FileError that names what is not
void require_sense(const Checkpoint& checkpoint, const std::string& file);

/// What must be true for a run to go on from it: every size is that of the problem.
///
///   errors   FileError that names what is not
void require_fit(const Checkpoint& checkpoint, const Run& run, const Model& model,
                 const std::vector<LossTerm>& terms, const std::string& file);

}  // namespace pinn
