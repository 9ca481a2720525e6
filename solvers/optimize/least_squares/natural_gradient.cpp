#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/optimize/dense/vector.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/least_squares/least_squares_method.h"
#include "solvers/optimize/least_squares/natural_directions.h"
#include "solvers/optimize/memory.h"

namespace pinn {
namespace {

using Eigen::Index, Eigen::VectorXd;

/// Default damping: of 1e-4, 1e-6, 1e-8, 1e-10 and 1e-12 the one that got lowest in 100 moves on
/// the shipped problem of Kovasznay flow, where 1e-12 hardly moves; Poisson's and the heat equation
/// are content with it.
constexpr double natural_damping = 1e-10;
/// Halvings of the longest step down to the shortest that is tried: 2^-30 of it.
constexpr int natural_halvings = 30;
/// Steps that are tried beyond the lowest loss.
constexpr int beyond = 2;
/// Dampings that are tried, each ten times the one before, from the first that is resolved.
constexpr int dampings = 8;
/// For r products with J^T and J, r times as many rows make a K that takes as long. Measured with
/// 2000 rows and 697 parameters of Poisson's equation.
constexpr std::size_t rows_per_product = 50;

/// The step of lowest loss along -d, of 1, 1/2, 1/4 ...; 0 where none is lower. It ends two steps
/// after the lowest.
double lowest_step(LeastSquares& squares, std::span<const double> p, double loss, const VectorXd& d,
                   long& evaluations) {
  double best = 0, step = 1;
  for (int k = 0, after = 0; k <= natural_halvings && after < beyond; ++k, step /= 2) {
    const double there = rows_at(squares, p, -step * d).loss;
    ++evaluations;
    if (there < loss)
      loss = there, best = step, after = 0;
    else if (best > 0)
      ++after;
  }
  return best;
}

/// True if a Nystrom approximation is made of all of K: there is room for it, and it is cheaper
/// than products with J^T and J.
bool from_gram(std::size_t rank, std::size_t rows, const OptimizerOptions& options) {
  return rows < rows_per_product * rank &&
         sizeof(double) * double(rows) * double(rows) < options.memory / 2;
}

class NaturalGradient : public Optimizer {
 public:
  NaturalGradient(const OptimizerOptions& options, const TrainedSize& size)
      : options_(options), random_(size.random), ranks_(*size.ranks) {}

  Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const override {
    Move move;
    SquaresMove start;
    if (!begin_move(move, p, start, objective, options_)) return move;
    const auto& [squares, at, gradient, here] = start;
    const auto natural = directions(*squares, at, here.r, memory.moves, objective.threads());
    double damping = options_.damping > 0 ? options_.damping : natural_damping;
    const double most = 1e8 * std::max(1.0, damping);
    for (int k = 0; k < dampings && damping < most; damping *= 10) {
      if (!natural->damp(damping, objective.threads())) continue;  // lost in rounding
      ++k;
      for (const VectorXd& kept : starts(memory)) {
        const VectorXd d = natural->direction(kept);
        if (!(dot(gradient.data<double>().data(), d.data(), at.size()) > 0)) continue;
        move.rate = lowest_step(*squares, at, here.loss, d, move.evaluations);
        if (move.rate == 0) continue;
        move.evaluations += natural->evaluations;
        array(p) -= move.rate * d.array();
        if (options_.momentum > 0) memory.tensors["previous"] = vector_of(d.array());
        ++memory.moves;
        return move;
      }
    }
    move.evaluations += natural->evaluations;
    move.stopped = fmt::format(
        "no step along a natural gradient lowers the loss of {:.6g}, with dampings up to {:.3g}",
        here.loss, damping / 10);
    return move;
  }

  /// The direction that momentum carries on is one of the parameters: it stays.
  void objective_changed(OptimizerMemory&) const override {}

  std::string misfit(const OptimizerMemory& memory, std::int64_t parameters) const override {
    const std::string lack = options_.momentum > 0 ? lack_of(memory, {"previous"}) : "";
    return lack.empty() ? misfit_of(memory, {{"previous", {parameters}}}) : lack;
  }

 private:
  /// Starts of directions: what momentum carries on of the last one, and rest.
  std::vector<VectorXd> starts(const OptimizerMemory& memory) const {
    const auto previous = memory.tensors.find("previous");
    if (options_.momentum == 0 || previous == memory.tensors.end()) return {VectorXd()};
    return {VectorXd(options_.momentum * array(previous->second).matrix()), VectorXd()};
  }

  std::unique_ptr<NaturalDirections> directions(LeastSquares& squares, std::span<const double> p,
                                                std::span<const double> r, long moves,
                                                ThreadPool* threads) const {
    if (options_.rank > 0) {
      Random random = random_;
      random.draw = std::uint32_t(moves);
      const std::size_t rank = std::min(std::size_t(options_.rank), r.size());
      return natural_of_rank(squares, p, r, rank, from_gram(rank, r.size(), options_), random);
    }
    return r.size() > p.size() ? natural_of_parameters(squares, p, r, {threads, ranks_})
                               : natural_of_rows(squares, p, r, ranks_);
  }

  const OptimizerOptions options_;
  const Random random_;
  Ranks& ranks_;  ///< each has some strips of J^T J or K
};

std::unique_ptr<Optimizer> make_natural_gradient(const OptimizerOptions& options,
                                                 const TrainedSize& size) {
  return std::make_unique<NaturalGradient>(options, size);
}

/// Memory by parameters: J^T J, its factor and rows of J. By rows: K, beside the parts of it that
/// go around where there are ranks, and then the strips of each.
OptimizerNeeds needs_of_natural_gradient(const OptimizerOptions& options, const TrainedSize& size) {
  const double p = double(size.parameters), n = size.rows > 0 ? double(size.rows) : p;
  const double ranks = size.ranks->count(), gram = (ranks > 1 ? 2 : 1) * n * n;
  const double kept = options.momentum > 0 ? p : 0, rank = std::min(double(options.rank), n);
  if (rank > 0) {
    const bool whole = from_gram(std::size_t(rank), std::size_t(n), options);
    return {kept, 4 * n * rank + 4 * rank * rank + (whole ? gram : 0),
            whole ? n * n * (p + 2 * rank) : 4 * rank * n * p};
  }
  if (n > p)
    return {kept, p * p / ranks + std::min(n, double(natural_rows)) * p, n * p * p + p * p * p / 3};
  return {kept, std::max(gram, 1.5 * n * n), n * n * p + n * n * n / 3};
}

}  // namespace

const OptimizerKind kinds::natural_gradient = {"natural_gradient",
                                               make_natural_gradient,
                                               needs_of_natural_gradient,
                                               "momentum damping rank",
                                               false,
                                               "a rank, or sketched_gauss_newton",
                                               false,
                                               true};

}  // namespace pinn
