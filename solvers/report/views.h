#pragma once
#include <optional>
#include <string>
#include <vector>

#include "autograd/core/parallel.h"
#include "solvers/report/chart.h"
#include "solvers/report/heat_map.h"
#include "solvers/report/report.h"
#include "solvers/state/state.h"
#include "solvers/train/train.h"

namespace pinn::pages {

/// The pictures of a run's fields, errors and residuals.
struct Views {
  std::vector<HeatMap> maps;
  std::vector<Chart> charts;
  std::vector<std::string> notes;  ///< what is fixed, and what is not shown
};

/// Pictures of a run: for one coordinate curves; for two a map, and curves at five times where one
/// of them is time; for more a map over two of space at several times, or places of a third, and in
/// the middle of all others, or where the output's grid is cut.
Views views_of(const Run& run, const std::vector<TrainedNetwork>& networks, ThreadPool& pool);

/// The points of every requirement that training used last, over the same two coordinates; null
/// where the checkpoint knows of none.
std::optional<Drawing> points_view(const ReportedRun& run, ThreadPool& pool);

}  // namespace pinn::pages
