#pragma once
#include <string>
#include <vector>

#include "configs/read.h"
#include "solvers/records/checkpoints/checkpoint.h"

namespace pinn {

/// The newest good checkpoint of a run folder, which there is.
///
///   errors   ConfigError when there is no such folder, or no checkpoint in it; FileError when none
///            is good
Found found_run(const std::string& folder);

/// The beginning of the run of a record; and that of the one which `resume` of a problem file would
/// go on with, nothing where there is none.
Begun begun(const RunRecord& record);
Begun begun_before(const std::string& problem_file, const std::string& out);

/// The run that a checkpoint, found in `folder`, is of: its problem read again from the record,
/// with its overrides and then the flags.
///
///   errors   ConfigError, also when data files changed since
Run recorded_run(const Found& found, const std::string& folder,
                 const std::vector<Flag>& flags = {});
/// The same of a checkpoint out of `file`, whose problem file stands at `problem`, or stood there.
Run recorded_run(const Checkpoint& checkpoint, const std::string& file, const std::string& problem,
                 const std::vector<Flag>& flags = {});

}  // namespace pinn
