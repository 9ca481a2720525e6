#pragma once
#include <string>

#include "autograd/core/numbers.h"
#include "data/files/fields.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/state/run.h"

namespace pinn {

/// Writes formulas of a run's best model as one C99 file, and a header beside it: NAME_at for one
/// point, NAME_block for many, NAME being that of the file.
///
///   fields   names and expressions between commas; empty: those of `[output]`
///   path     ends in .c
///   status   text of the run's status.json, for the estimated errors; may be empty
///   errors   ConfigError for names, formulas and regions that do not fit; EngineError for what has
///            no C text yet; FileError
Written export_c(const Run& run, const Checkpoint& checkpoint, const std::string& fields,
                 const std::string& path, DType dtype, const std::string& status);

}  // namespace pinn
