#pragma once
#include <string>
#include <vector>

#include "solvers/report/chart.h"
#include "solvers/report/report.h"

namespace pinn::pages {

/// The total steps before which points of requirement r were drawn anew: worked out from the
/// options and from where stages began [stages so far], as long as that gives the number of
/// redraws and the last one of the checkpoint; else the last one alone; empty: none.
std::vector<std::int64_t> redraws_of(const Run& run, const TrainState& state, std::size_t r,
                                     const std::vector<std::int64_t>& beginnings);

/// Marks where points were drawn anew, one for all at one step; of more than a chart can show some,
/// evenly, without names.
std::vector<Mark> redraw_marks(const ReportedRun& run, const std::vector<Mark>& stages);

/// "Lines down: stages and redraws, but 10 of these alone; points of heat were drawn anew 12 times,
/// the last time at step 6000", or empty. `marks`: those that a chart shows.
std::string redraws_text(const ReportedRun& run, const std::vector<Mark>& marks);

}  // namespace pinn::pages
