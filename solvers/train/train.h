#pragma once
#include <functional>
#include <string>

#include "autograd/core/error.h"
#include "autograd/core/ranks.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/records/folder/folder.h"
#include "solvers/records/logs/progress.h"
#include "solvers/results/results.h"
#include "solvers/state/run.h"

namespace pinn {

/// Reads the run of a checkpoint again, that was found in a folder.
using ReadAgain = std::function<Run(const Found& found, const std::string& folder)>;

/// Options of the command line, beside the problem file.
struct TrainRequest {
  FolderRequest folder;
  std::string init_from = {};  ///< a run folder whose parameters a new run starts from; or empty
  bool force = false;          ///< ... also where its network was another function of them
  ReadAgain recorded = {};     ///< where the new network may be fitted to its fields instead
  ProgressStyle style = ProgressStyle::log;
  bool eager = false;           ///< run op by op, without a compiled step
  bool verbose = false;         ///< also say what is compiled
  FileSystem* files = nullptr;  ///< how files reach the disk; null: the system's way
  Ranks* ranks = &alone();      ///< all ask the same of the same run; rank 0 tells and writes
  /// Asked about twenty times a second, and at the end of each stage, with the seconds trained so
  /// far: whether to go on. Where it is given, no signal is caught.
  std::function<bool(const ProgressView&, double seconds)> watch = {};
};

/// The loss of a run is no longer finite.
struct Diverged : NumericsError {
  Diverged(const Report& report, std::string where)
      : NumericsError(report), folder(std::move(where)) {}
  std::string folder;  ///< of the run, where the last finite state is; "": of another rank
};

/// Trains: all stages in order, from the beginning or from a checkpoint; writes checkpoints,
/// metrics and in the end the fields of the best model.
///
///   errors   Diverged when the loss is no longer finite: the last finite state is saved then;
///            DeviceError; what RunFolder, files and the objective throw
TrainResult train(const Run& run, const TrainRequest& request);

}  // namespace pinn
