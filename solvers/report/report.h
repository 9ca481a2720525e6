#pragma once
#include <string>
#include <vector>

#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/state/run.h"

namespace pinn {

/// A run to report of, as far as its folder has it.
struct ReportedRun {
  std::string folder;
  Run run;  ///< read again from the checkpoint's record
  Checkpoint checkpoint;
  std::string status;  ///< as `pinn-train FOLDER` prints it
};

/// One HTML page of one run, or of several side by side: no other file, no network, a small script
/// that works without either. Everything in it is text of the page: names may hold what they like.
///
///   errors   ConfigError when a checkpoint is of another network than its file
std::string report_page(const std::vector<ReportedRun>& runs, int threads);

/// The same as data, {"runs": [...]}: what the page shows but for pictures. AGENTS.md lists
/// the entries.
std::string report_json(const std::vector<ReportedRun>& runs);

/// Writes FOLDER/report.html of the run that just ended there. A run is done without its report:
/// what keeps it from being written is told.
///
///   file     that page; "" where there is none
///   returns  a warning as a line, or ""
std::string report_at_end(const Run& run, const std::string& folder, std::string& file);

/// Line that says that FOLDER/report.html is of an earlier step than the newest checkpoint; empty
/// if it is not.
std::string report_age(const std::string& folder);

/// Every picture of a run as FOLDER/NAME.svg and FOLDER/NAME.png.
///
///   returns  the files
///   errors   FileError
std::vector<std::string> write_pictures(const ReportedRun& run, const std::string& folder,
                                        int threads);

}  // namespace pinn
