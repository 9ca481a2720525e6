#pragma once
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "autograd/core/parallel.h"
#include "solvers/residual/loss/part_table.h"
#include "solvers/residual/loss/reduction.h"

namespace pinn {

/// Sweeps over all parts of a loss. Points are cut into blocks that fit the cache, blocks into
/// chunks, which a fixed tree adds up in float64 (reduction.h); threads and ranks share out tasks
/// of these. Blocks and chunks follow from the problem alone, so the numbers are the same for any
/// number of threads and ranks, and on every rank.
class Evaluation {
 public:
  Evaluation(PartTable& parts, const LossOptions& options, ThreadPool& pool);

  /// Inputs and outputs of an evaluation; empty where it has none. By terms, rows or parameters.
  struct Call {
    Sweep kind;
    std::span<const double> p, direction;
    std::span<double> squares, result, rows;
  };

  void run(const Call& call);

  /// Finds the tasks of all parts for a kind, and tells those that keep points of them.
  void find_tasks(Sweep kind);
  /// Other points: what was found of them is found anew.
  void forget_points() { running_.clear(); }

  ThreadPool& threads() const { return pool_; }
  const ProcessGroup& group() const { return group_; }
  /// All evaluations since this was made, and others that are counted here.
  const LossWork& work() const { return work_; }
  void count(double evaluations, Sweep kind);
  void count(const LossWork& more) {
    work_.points += more.points;
    work_.product_flops += more.product_flops;
  }

 private:
  /// A kind of sweep over a requirement's points of now.
  struct PartSweep {
    std::size_t block = 1;  ///< points
    double cost = 1;        ///< of a point
    std::unique_ptr<Reduction> reduction;
    std::shared_ptr<const SumTree> tree;  ///< of a GPU that has pieces
  };

  void run_tasks(const Call& call, int first, int last);
  void run_task(const Call& call, int task);
  bool are_in_pieces() const;
  bool is_shared() const;
  void tell_trees(Sweep kind);
  void run_on_ranks(const Call& call);
  std::vector<std::size_t> shares_of_ranks() const;
  std::pair<std::size_t, std::size_t> points_of(std::size_t part, int first, int last) const;
  std::vector<std::span<double>> made_by(const Call& call, int first, int last);
  std::span<double> rows_to_write(const Call& call, std::size_t part);
  std::span<double> rows_of(const Call& call, std::size_t part) const;
  void prepare(const Call& call, std::size_t part);
  void finish(const Call& call, std::size_t part);
  void add_squares(const Call& call, std::size_t part);
  PartSweep& running(Sweep kind, std::size_t r);

  PartTable& parts_;
  const bool pieces_count_;  ///< whether parts of one piece each are not worth sharing out
  ThreadPool& pool_;
  const ProcessGroup group_;
  std::map<std::pair<Sweep, std::size_t>, PartSweep> running_;
  std::vector<int> first_task_;  ///< of each part in the evaluation that runs, and the end
  std::vector<PartSweep*> now_;  ///< of each part; null: it has no points
  std::vector<double> squares_;
  std::vector<std::vector<double>> piece_rows_;  ///< of parts whose rows do not stand together
  LossWork work_;
};

}  // namespace pinn
