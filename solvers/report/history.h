#pragma once
#include <string>
#include <vector>

#include "solvers/records/logs/live_records.h"
#include "solvers/report/chart.h"
#include "solvers/report/report.h"
#include "solvers/state/state.h"

namespace pinn::pages {

/// The losses, held-out residuals, errors and unknowns of a run over its steps, a chart each of
/// those that there are.
std::vector<Chart> history_charts(const LossHistory& history, const std::vector<Mark>& marks);

/// The same out of curves that have the names of their columns.
std::vector<Chart> charts_of_curves(const std::vector<Curve>& columns,
                                    const std::vector<Mark>& marks);

/// Columns of the history by name, all where there is none: their records that have a value,
/// thinned to what a page shows.
std::vector<Curve> history_curves(const LossHistory& history, const std::string& only = "");

/// The same of a run at work, out of its metrics.jsonl; and where its stages begin after the first.
std::vector<Curve> live_curves(const LiveRecords& records);
std::vector<Mark> stage_marks(const LiveRecords& records);

/// Marks of stages after the first, as far as the run's metrics.jsonl tells, and of redraws.
std::vector<Mark> marks_of(const ReportedRun& run);

/// Seconds of training at each record, by the speeds between them; NaN from where one is not known.
std::vector<double> seconds_of(const LossHistory& history);

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
