#pragma once
#include <memory>
#include <vector>

#include "solvers/problem/checks.h"
#include "solvers/residual/model.h"
#include "solvers/residual/points.h"
#include "solvers/state/run.h"

namespace pinn {

/// A window of time that is trained: what it asks, its network, the weights of its loss terms.
struct TrainedWindow {
  std::shared_ptr<const Run> run;
  TrainedNetwork network;
  std::vector<double> weights;
};

/// Points that stand for the domain, with the fields there, to measure corrections at.
struct Samples {
  PointSet points;
  std::vector<std::vector<double>> fields;  ///< [field as the file names it][point]
  /// Per field: points of one group agree in all coordinates that an open function of it may depend
  /// on, and means over a group say nothing; empty: nothing is open. Points of pieces where nothing
  /// is open are in no group.
  std::vector<std::vector<std::size_t>> groups;
  static constexpr std::size_t no_group = std::size_t(-1);

  /// Values of a field without what is open.
  std::vector<double> closed(std::size_t field, std::vector<double> values) const;
};

/// Functions that may be added to fields without being seen, as the first window of time has it; of
/// a later one nothing is known.
std::vector<GaugeMode> open_modes(const Problem& problem);

/// Values of the fields as the file names them, of those of all networks at points.
std::vector<std::vector<double>> whole_values(const Problem& problem, const PointSet& points,
                                              const std::vector<std::vector<double>>& all);

/// About `count` points of a window.
Samples samples_of(const TrainedWindow& window, const std::vector<GaugeMode>& open, int count,
                   ThreadPool& pool);

}  // namespace pinn
