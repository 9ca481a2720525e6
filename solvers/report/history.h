#pragma once
#include <vector>

#include "solvers/report/chart.h"
#include "solvers/train/run/state.h"

namespace pinn::pages {

/// The losses, held-out residuals, errors and unknowns of a run over its steps, a chart each of
/// those that there are.
std::vector<Chart> history_charts(const LossHistory& history, const std::vector<Mark>& marks);

/// One column of the history: its records that have a value, thinned to what a page shows.
Curve history_curve(const LossHistory& history, std::size_t column, const std::string& name);

/// Seconds of training at each record, by the speeds between them; NaN from where one is not known.
std::vector<double> seconds_of(const LossHistory& history);

/// Where stages begin after the first, out of the run's metrics.jsonl; empty where there is none.
std::vector<Mark> stage_marks(const std::string& metrics_file);

}  // namespace pinn::pages
