#pragma once
#include <span>
#include <vector>

#include "autograd/core/ranks.h"

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

}  // namespace pinn
