#pragma once
#include <memory>
#include <span>
#include <vector>

#include "autograd/core/numbers.h"
#include "autograd/core/ranks.h"
#include "autograd/tape/saved_policy.h"
#include "solvers/residual/evaluate/residuals.h"

namespace pinn {

/// Ranks that evaluate a loss together, each with threads of its own.
struct ProcessGroup {
  Ranks* ranks = &alone();
  std::vector<int> threads = {};  ///< of each rank; of one alone they are those of its pool

  int count() const { return ranks->count(); }
  int rank() const { return ranks->rank(); }
  /// Threads of all ranks; `own` are those of this one.
  int all_threads(int own) const;
  /// Shares out consecutive tasks by what they cost, to each rank as its threads are to all: rank r
  /// gets tasks first[r] ... first[r + 1] - 1.
  std::vector<std::size_t> shares(std::span<const double> costs) const;
};

/// The group of a session: its ranks tell each other their threads.
ProcessGroup process_group_of(Ranks& ranks, int threads);

class StepCache;
class AllGather;

/// Number type of a step, and how it computes. One Derivatives per requirement.
struct LossOptions {
  DType dtype = DType::float64;
  std::vector<Derivatives> derivatives;
  bool compiled = true;     ///< traced and planned once, or op by op on tensors
  SavedOptions saved = {};  ///< for the backward pass
  std::size_t block = 0;    ///< points, rounded up to a multiple of 16; 0: as the plan has it
  /// Points that a GPU sums up before they can be shared out, at most; 0: all. Where all parts are
  /// one piece each rank evaluates them itself.
  std::size_t piece_points = std::size_t(1) << 17;
  /// Exchange of the sums of ranks that keep points on devices; null: through the host.
  std::shared_ptr<AllGather> gather = {};
  std::shared_ptr<StepCache> cache = {};  ///< of compiled steps, for several losses; null: its own
  Device device = Device::cpu;            ///< where the parts compute
  Products products = Products::exact;    ///< of compiled steps in float32
  int directions = 0;       ///< along which Laplacians are estimated (forms.h); 0: they are exact
  ProcessGroup group = {};  ///< all ranks ask the same of their losses, in the same order
};

/// Work of evaluations of a loss.
struct LossWork {
  double points = 0;         ///< visited, each time
  double product_flops = 0;  ///< operations in matrix products; NaN when unknown (op by op)
};

}  // namespace pinn
