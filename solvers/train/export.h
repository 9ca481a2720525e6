#pragma once
#include "data/files/fields.h"
#include "solvers/train/checkpoint.h"

namespace pinn {

/// Whether the run, read again, is that which the checkpoint `file` holds; only what is written may
/// have changed. Its data files may not, as when a run goes on.
///
///   errors   ConfigError with all that changed
void require_unchanged(const Checkpoint& checkpoint, const Run& run, const std::string& file);

/// Writes the run's best model: `[output] fields` on its grid, or at the points of a CSV or HDF5
/// file when `points_file` names one. The format follows from the end of `path`.
///
///   errors   ConfigError for points or formats that do not fit; FileError
Written export_fields(const Run& run, const TrainState& state, const std::string& points_file,
                      const std::string& path, int threads);

}  // namespace pinn
