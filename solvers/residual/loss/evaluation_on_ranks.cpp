#include <algorithm>

#include "solvers/residual/loss/evaluation.h"
#include "solvers/residual/loss/reduction.h"

/// How an evaluation is shared out over ranks.
namespace pinn {

/// True if any part has several tasks. That follows from the problem alone.
bool Evaluation::are_in_pieces() const {
  return first_task_.back() > std::ranges::count_if(now_, [](auto* r) { return r; });
}

/// True if ranks share out the tasks of now.
bool Evaluation::is_shared() const {
  return group_.count() > 1 && (!pieces_count_ || are_in_pieces());
}

/// Tells parts on a GPU along which trees they sum.
void Evaluation::tell_trees(Sweep kind) {
  if (!pieces_count_) return;
  std::vector<std::size_t> shares;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!now_[i] || !parts_[i].sums_itself(kind)) continue;
    if (are_in_pieces() && !now_[i]->tree) {
      if (shares.empty()) shares = shares_of_ranks();
      std::vector<int> first;
      for (const std::size_t task : shares)
        first.push_back(std::clamp(int(task), first_task_[i], first_task_[i + 1]) - first_task_[i]);
      now_[i]->tree = sum_tree(*now_[i]->reduction, first, std::size_t(group_.rank()),
                               now_[i]->block, parts_[i].points());
    }
    parts_[i].set_tree(kind, now_[i]->tree);
  }
}

/// Runs the tasks of this rank; then all ranks have what came of them.
void Evaluation::run_on_ranks(const Call& call) {
  const std::vector<std::size_t> first = shares_of_ranks();
  const auto own = std::size_t(group_.rank());
  run_tasks(call, int(first[own]), int(first[own + 1]));
  std::vector<std::vector<std::span<double>>> by_rank;
  for (std::size_t r = 0; r + 1 < first.size(); ++r)
    by_rank.push_back(made_by(call, int(first[r]), int(first[r + 1])));
  if (std::ranges::all_of(by_rank, &std::vector<std::span<double>>::empty)) return;
  share_out(*group_.ranks, by_rank);
}

/// The tasks of each rank, by the points of tasks and what a point costs.
std::vector<std::size_t> Evaluation::shares_of_ranks() const {
  std::vector<double> costs;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    for (int task = 0; now_[i] && task < now_[i]->reduction->tasks(); ++task) {
      const auto [begin, end] = points_of(i, task, task + 1);
      costs.push_back(double(end - begin) * now_[i]->cost);
    }
  if (!pieces_count_) return group_.shares(costs);
  return ProcessGroup{group_.ranks, std::vector<int>(std::size_t(group_.count()), 1)}.shares(
      costs);  // GPUs
}

/// The points that tasks first ... last - 1 of a part go through.
std::pair<std::size_t, std::size_t> Evaluation::points_of(std::size_t part, int first,
                                                          int last) const {
  const PartSweep& running = *now_[part];
  return {running.reduction->first_block(first) * running.block,
          std::min(parts_[part].points(), running.reduction->first_block(last) * running.block)};
}

/// Memory of what tasks first ... last - 1 of all make, or room for it: their sums, folded, and
/// their rows.
std::vector<std::span<double>> Evaluation::made_by(const Call& call, int first, int last) {
  std::vector<std::span<double>> made;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const int begin = std::max(first, first_task_[i]) - first_task_[i];
    const int end = std::min(last, first_task_[i + 1]) - first_task_[i];
    if (begin >= end || parts_[i].sums_itself(call.kind)) continue;
    Reduction& reduction = *now_[i]->reduction;
    reduction.fold(begin, end);
    for (const int task : reduction.folded(begin, end)) made.push_back(reduction.place(task));
    const std::span<double> rows = rows_to_write(call, i);
    const std::size_t points = parts_[i].points();
    if (rows.empty() || parts_[i].rows() != points) continue;
    const auto [from, to] = points_of(i, begin, end);
    for (std::size_t k = 0; k < parts_.terms_of_part(i); ++k)
      made.push_back(rows.subspan(k * points + from, to - from));
  }
  return made;
}

}  // namespace pinn
