#pragma once
#include <vector>

#include "data/sampling/quadrature.h"
#include "solvers/results/results.h"
#include "solvers/state/run.h"
#include "solvers/state/windows.h"

namespace pinn {

/// How many nodes a number is integrated with: as one of a result, and as one of many on the way.
inline constexpr std::size_t result_nodes = std::size_t(1) << 17, record_nodes = 4096;

/// True if it is known what a number ought to be.
bool has_reference(const Run& run, const std::string& value);

/// Finds the numbers of `[output.values]`.
class ValueMeter {
 public:
  /// `nodes` per region, about; the run outlives it.
  ValueMeter(const Run& run, std::size_t nodes);

  /// Values over all of time; NaN where a window that it needs has no network yet. A null cache:
  /// its own.
  std::vector<FoundValue> operator()(const std::vector<TrainedNetwork>& networks, ThreadPool& pool,
                                     const std::shared_ptr<StepCache>& cache = {}) const;
  std::size_t nodes(std::size_t value) const { return rules_[value].count; }

 private:
  const Run& run_;
  std::vector<Quadrature> rules_;  ///< one per value; without nodes where it has no region
};

}  // namespace pinn
