#pragma once
#include "data/files/fields.h"
#include "solvers/train/checkpoint.h"

namespace pinn {

/// Writes the run's best model: `[output] fields` on its grid, or at the points of a CSV or HDF5
/// file when `points_file` names one. The format follows from the end of `path`.
///
///   errors   ConfigError for points or formats that do not fit; FileError
Written export_fields(const Run& run, const TrainState& state, const std::string& points_file,
                      const std::string& path, int threads);

}  // namespace pinn
