#include <algorithm>
#include <cmath>

#include "solvers/optimize/dense/vector.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/least_squares/factor_blocks.h"
#include "solvers/optimize/least_squares/least_squares_method.h"
#include "solvers/optimize/methods/by_matrix.h"

namespace pinn {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

constexpr double keeps = 0.95;  ///< of what is known of the factors, when new ones come
constexpr double kfac_damping = 1e-5, least_kfac_damping = 1e-14, most_kfac_damping = 1;
constexpr double least_kfac_ratio = 0.1;  ///< of the predicted decrease, what a step has to come to
constexpr int kfac_halvings = 4;          ///< of a step, before a larger damping

class Kfac : public Optimizer {
 public:
  Kfac(const OptimizerOptions& options, const TrainedSize& size)
      : options_(options), blocks_(factor_blocks_of(size)) {}

  Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const override {
    Move move;
    SquaresMove start;
    if (!begin_move(move, p, start, objective, options_)) return move;
    if (memory.moves % std::max(1, options_.refresh) == 0) {
      learn(start.squares->kronecker(start.p), memory);
      ++move.evaluations;
    }
    const ChosenStep chosen = choose(start, memory, objective.threads(), move);
    if (end_move(move, p, memory, chosen, start.here.loss))
      memory.tensors["step"] = vector_of(chosen.d.array());
    return move;
  }

  /// The factors stay, the damping, and the step.
  void objective_changed(OptimizerMemory&) const override {}

  std::string misfit(const OptimizerMemory& memory, std::int64_t parameters) const override {
    return damped_misfit(memory, {{"factors", {numbers()}}, {"step", {parameters}}});
  }

 private:
  std::int64_t numbers() const {
    return std::int64_t(blocks_.back().at + blocks_.back().numbers());
  }

  void learn(const std::vector<KroneckerFactors>& terms, OptimizerMemory& memory) const {
    const bool first = memory.tensors.count("factors") == 0;
    Tensor& factors = memory.tensors["factors"];
    if (first) factors = zeros({numbers()});
    const double share = first ? 1 : 1 - keeps;
    for (const FactorBlock& block : blocks_)
      for (const int group : {0, 1}) block.learn(factors, group, terms, share);
  }

  /// -(sum_B A_B (x) G_B)^-1 gradient, damped, matrix by matrix.
  VectorXd direction(const Tensor& gradient, double damping, const OptimizerMemory& memory,
                     ThreadPool* threads) const {
    const Tensor& factors = memory.tensors.at("factors");
    VectorXd d(gradient.numel());
    run_tasks(threads, int(blocks_.size()), [&](int k) {
      const FactorBlock& block = blocks_[std::size_t(k)];
      const MatrixXd g = matrix(gradient, block.matrix);
      MatrixMap(d.data() + block.matrix.offset, g.rows(), g.cols()) =
          -0.5 * solve(block.known(factors, 0), block.known(factors, 1), damping, g);
    });
    return d;
  }

  /// Ridge added to J^T J where a step is planned: the damping times the mean of its diagonal.
  double ridge(double damping, const OptimizerMemory& memory) const {
    double trace = 0, count = 0;
    for (const FactorBlock& block : blocks_) {
      count += double(block.matrix.rows * block.matrix.columns);
      for (const int group : {0, 1}) {
        const Kronecker k = block.known(memory.tensors.at("factors"), group);
        trace += k.a.trace() * k.g.trace();
      }
    }
    return damping * trace / count;
  }

  ChosenStep choose(const SquaresMove& start, const OptimizerMemory& memory, ThreadPool* threads,
                    Move& move) const {
    const double before = start.here.loss;
    const double first = damping_of(memory, options_, kfac_damping);
    for (double damping = std::min(first, most_kfac_damping); damping <= most_kfac_damping;
         damping *= 10) {
      std::vector<VectorXd> along = {direction(start.gradient, damping, memory, threads)};
      if (const auto last = memory.tensors.find("step"); last != memory.tensors.end())
        along.push_back(array(last->second).matrix());
      move.evaluations += long(along.size());
      const PlannedStep step =
          best_sum(*start.squares, start.p, start.here.r, std::move(along), ridge(damping, memory));
      double part = 1;
      for (int k = 0; k <= kfac_halvings && step.predicted > 0; ++k, part /= 2) {
        const double loss = rows_at(*start.squares, start.p, part * step.d).loss;
        ++move.evaluations;
        const double hoped = part * (2 - part) * step.predicted;
        if (loss < before && before - loss >= least_kfac_ratio * hoped) {
          const bool good = k == 0 && before - loss > 0.75 * hoped;
          const double next = k > 1 ? 2 * damping : good ? damping / 2 : damping;
          return {part * step.d, loss, std::clamp(next, least_kfac_damping, most_kfac_damping)};
        }
      }
    }
    return {};
  }

  const OptimizerOptions options_;
  const std::vector<FactorBlock> blocks_;
};

std::unique_ptr<Optimizer> make_kfac(const OptimizerOptions& options, const TrainedSize& size) {
  return std::make_unique<Kfac>(options, size);
}

/// Factors of all terms and those that are known; bases, and what makes them.
OptimizerNeeds needs_of_kfac(const OptimizerOptions& options, const TrainedSize& size) {
  OptimizerNeeds needs{double(size.parameters), 4 * double(size.parameters), 0};
  for (const FactorBlock& block : factor_blocks_of(size)) {
    const double m = double(block.matrix.rows), n = double(block.matrix.columns);
    needs.remembers += double(block.numbers());
    needs.works_with += 4 * double(block.numbers());
    needs.flops += 20 * (m * m * m + n * n * n) + 4 * m * n * (m + n) +
                   2 * double(size.rows) * (m * m + n * n) / std::max(1, options.refresh);
  }
  return needs;
}

}  // namespace

const OptimizerKind kinds::kfac = {"kfac", make_kfac,       needs_of_kfac, "damping refresh",
                                   false,  "lbfgs or soap", true,          true};

}  // namespace pinn
