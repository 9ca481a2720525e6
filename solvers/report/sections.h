#pragma once
#include <map>
#include <string>
#include <vector>

#include "autograd/core/parallel.h"
#include "solvers/records/checkpoints/recorded_trust.h"
#include "solvers/report/report.h"

// The parts of a page, as HTML.
namespace pinn::pages {

/// A number with its name below.
std::string tile_html(const std::string& value, const std::string& name, bool bad = false);

std::string section_html(const std::string& title, const std::string& content);

/// All that is told of one run.
std::string run_html(const ReportedRun& run, ThreadPool& pool);

/// Errors, residuals and times of several runs, and the options in which they differ.
std::string differences_html(const std::vector<ReportedRun>& runs);

/// Losses, residuals and errors of several runs, a chart each.
std::string curves_together_html(const std::vector<ReportedRun>& runs);

/// The errors that a finished run estimated, or why it did not.
RecordedTrust trust_of(const ReportedRun& run);

/// "about 3·10⁻⁵".
std::string estimate_text(const RecordedEstimate& estimate);
/// " ± 5.8·10⁻⁶" behind the value of an unknown; empty where nothing is known.
std::string scatter_text(const RecordedTrust& trust, const std::string& unknown);

/// A tile for each estimated error.
std::string estimate_tiles(const RecordedTrust& trust);

/// Promised bound of an error; NaN where there is none.
double promised(const Run& run, const std::string& name);

/// Numbers that a run found: unknowns, and those of `[output.values]`.
std::map<std::string, double> found_numbers(const ReportedRun& run);

/// The options of a run that are in force: of Fourier features, where there are none, nothing but
/// that.
std::map<std::string, std::string> values_in_force(const RunRecord& record);

}  // namespace pinn::pages
