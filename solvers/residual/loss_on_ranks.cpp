#include <algorithm>

#include "solvers/residual/part.h"

/// How an evaluation is shared out over ranks.
namespace pinn {

/// Whether ranks share out the tasks of now. That follows from the problem and their number alone.
bool Loss::is_shared() const {
  const bool in_pieces =
      first_task_.back() > std::ranges::count_if(now_, [](auto* r) { return r; });
  return crew_.count() > 1 && (!pieces_count_ || in_pieces);
}

/// Tells parts on a GPU what they will be asked to run.
void Loss::tell_shares() {
  if (!pieces_count_) return;
  const bool shared = is_shared();
  std::size_t begin = 0, end = std::size_t(first_task_.back());
  if (shared) {
    const std::vector<std::size_t> first = shares_of_ranks();
    begin = first[std::size_t(crew_.rank())], end = first[std::size_t(crew_.rank()) + 1];
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!now_[i]) continue;
    const auto own = [&](std::size_t task) {
      return std::clamp(int(task), first_task_[i], first_task_[i + 1]) - first_task_[i];
    };
    const auto [from, to] = points_of(i, own(begin), own(end));
    parts_[i]->set_share({std::min(from, to), to, shared});
  }
}

/// Runs the tasks of this rank; then all ranks have what came of them.
void Loss::run_on_ranks(const Call& call) {
  const std::vector<std::size_t> first = shares_of_ranks();
  const auto own = std::size_t(crew_.rank());
  pool_.run(int(first[own + 1] - first[own]),
            [&](int task) { run_task(call, int(first[own]) + task); });
  std::vector<std::vector<std::span<double>>> by_rank;
  for (std::size_t r = 0; r + 1 < first.size(); ++r)
    by_rank.push_back(made_by(call, int(first[r]), int(first[r + 1])));
  share_out(*crew_.ranks, by_rank);
}

/// The tasks of each rank, by the points of tasks and what a point costs.
std::vector<std::size_t> Loss::shares_of_ranks() const {
  std::vector<double> costs;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    for (int task = 0; now_[i] && task < now_[i]->reduction->tasks(); ++task) {
      const auto [begin, end] = points_of(i, task, task + 1);
      costs.push_back(double(end - begin) * now_[i]->cost);
    }
  if (!pieces_count_) return crew_.shares(costs);
  return Crew{crew_.ranks, std::vector<int>(std::size_t(crew_.count()), 1)}.shares(costs);  // GPUs
}

/// The points that tasks first ... last - 1 of a part go through.
std::pair<std::size_t, std::size_t> Loss::points_of(std::size_t part, int first, int last) const {
  const Running& running = *now_[part];
  return {running.reduction->first_block(first) * running.block,
          std::min(parts_[part]->points(), running.reduction->first_block(last) * running.block)};
}

/// Where what tasks first ... last - 1 of all make stands, or has room: their sums, folded, and
/// their rows.
std::vector<std::span<double>> Loss::made_by(const Call& call, int first, int last) {
  std::vector<std::span<double>> made;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const int begin = std::max(first, first_task_[i]) - first_task_[i];
    const int end = std::min(last, first_task_[i + 1]) - first_task_[i];
    if (begin >= end) continue;
    Reduction& reduction = *now_[i]->reduction;
    reduction.fold(begin, end);
    for (const int task : reduction.folded(begin, end)) made.push_back(reduction.place(task));
    const std::span<double> rows = rows_to_write(call, i);
    const std::size_t points = parts_[i]->points();
    if (rows.empty() || parts_[i]->rows() != points) continue;
    const auto [from, to] = points_of(i, begin, end);
    for (std::size_t k = 0; k < terms_of_part(i); ++k)
      made.push_back(rows.subspan(k * points + from, to - from));
  }
  return made;
}

}  // namespace pinn
