#pragma once
#include "data/files/fields.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/records/fields/output.h"
#include "solvers/results/results.h"
#include "solvers/results/values.h"
#include "solvers/state/run.h"

namespace pinn {

/// Requires that the run, read again, is that which the checkpoint `file` holds; only what is
/// written may have changed. Its data files may not, as when a run goes on.
///
///   errors   ConfigError with all that changed
void require_unchanged(const Checkpoint& checkpoint, const Run& run, const std::string& file);

/// The networks of a state, of all windows that it has: the best of each.
///
///   errors   ConfigError when the checkpoint, from `path`, is of another network or other windows
std::vector<TrainedNetwork> networks_of(const Run& run, const TrainState& state, ThreadPool& pool,
                                        const std::string& path);

/// Result of an export: what was written, and the values found beside it.
struct Exported : Written {
  std::vector<FoundValue> values;
};

/// The formulas that stand between commas; a comma in parentheses or brackets stands in one. Empty:
/// those of `[output]`. Where the region has a normal they may use it. `label` names the text in
/// errors.
///
///   errors   ConfigError for what means nothing, and for two of one name
std::vector<NamedFormula> formulas_in(const Run& run, const std::string& fields,
                                      const Region& region, const std::string& label);

/// True if pinn-export's `--on` names a region, and no grid, nor a file of points.
bool names_region(const std::string& on, const Problem& problem);

/// Writes the run's best model on a region, cut into simplices as fine as the grid is: "domain", or
/// a text as of a condition's `on`. `fields`: names and expressions between commas, which may use
/// the normal where there is one; empty: those of `[output]`.
///
///   errors   ConfigError for a text that means nothing, or a format that does not fit; FileError
Exported export_on(const Run& run, const TrainState& state, const std::string& on,
                   const std::string& fields, const std::string& path, int threads);

/// Writes the run's best model: `[output] fields` on its grid, or at the points of a CSV or HDF5
/// file when `points_file` names one, and the numbers of `[output.values]`. The format follows from
/// the end of `path`.
///
///   errors   ConfigError for points or formats that do not fit; FileError
Exported export_fields(const Run& run, const TrainState& state, const std::string& points_file,
                       const std::string& path, int threads);

}  // namespace pinn
