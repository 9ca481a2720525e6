#include "solvers/residual/loss/options.h"

#include <algorithm>
#include <numeric>

namespace pinn {

int ProcessGroup::all_threads(int own) const {
  return threads.empty() ? own : std::accumulate(threads.begin(), threads.end(), 0);
}

std::vector<std::size_t> ProcessGroup::shares(std::span<const double> costs) const {
  std::vector<std::size_t> first(std::size_t(count()) + 1, costs.size());
  first[0] = 0;
  const double all = std::accumulate(costs.begin(), costs.end(), 0.0);
  const double hands = std::accumulate(threads.begin(), threads.end(), 0.0);
  double before = 0, up_to = 0;
  std::size_t task = 0;
  for (std::size_t r = 0; r + 1 < std::size_t(count()); ++r) {
    up_to += all * threads[r] / hands;
    for (; task < costs.size() && before + costs[task] / 2 < up_to; ++task) before += costs[task];
    first[r + 1] = task;
  }
  return first;
}

ProcessGroup process_group_of(Ranks& ranks, int threads) {
  ProcessGroup group{&ranks};
  if (ranks.count() == 1) return group;
  const double own = threads;
  for (const double each : gathered(ranks, std::span(&own, 1))) group.threads.push_back(int(each));
  return group;
}

}  // namespace pinn
