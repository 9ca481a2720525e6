#include <algorithm>
#include <cmath>

#include "solvers/optimize/dense/tall_qr.h"
#include "solvers/optimize/dense/vector.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/least_squares/least_squares_method.h"
#include "solvers/optimize/least_squares/valley.h"

namespace pinn {
namespace {

using Eigen::VectorXd;

/// Share of the predicted decrease that a good step has to reach.
constexpr double least_full_ratio = 0.15;

class LevenbergMarquardt : public Optimizer {
 public:
  LevenbergMarquardt(const OptimizerOptions& options, Ranks& ranks)
      : options_(options), ranks_(ranks) {}

  Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const override {
    Move move;
    SquaresMove start;
    if (!begin_move(move, p, start, objective, options_)) return move;
    const Workers workers(objective.threads(), ranks_);
    TallMatrix j(start.here.r.size(), start.p.size() + 1, ranks_);
    j.take(*start.squares, start.p, start.here.r);
    StripTriangle triangle = j.triangle(workers);
    ++move.evaluations;

    const VectorXd scales = scales_of(triangle.lengths(ranks_), memory);
    const DampedSquares model(std::move(triangle), scales, workers);
    const Valley valley(start, model, scales, move);
    const auto attempt = [&](const DampedStep& step) { return valley.follow(step, options_); };
    end_move(move, p, memory,
             longest_good_step(model, start.here.loss, damping_of(memory, options_, 1),
                               least_full_ratio, attempt),
             start.here.loss);
    return move;
  }

  /// The damping stays, and the scales, which only grow.
  void objective_changed(OptimizerMemory&) const override {}

  std::string misfit(const OptimizerMemory& memory, std::int64_t parameters) const override {
    return damped_misfit(memory, {{"scales", {parameters}}});
  }

 private:
  /// The largest norms that the columns of J ever had.
  static VectorXd scales_of(const VectorXd& lengths, OptimizerMemory& memory) {
    Tensor& known = memory.tensors["scales"];
    if (!known.defined()) known = zeros({lengths.size()});
    array(known) = array(known).max(lengths.array());
    const double least = std::max(1e-12 * largest(known), 1e-300);
    return array(known).max(least).matrix();
  }

  const OptimizerOptions options_;
  Ranks& ranks_;  ///< each has some strips of J, of its triangle and of factors
};

std::unique_ptr<Optimizer> make_levenberg_marquardt(const OptimizerOptions& options,
                                                    const TrainedSize& size) {
  return std::make_unique<LevenbergMarquardt>(options, *size.ranks);
}

/// J, or its triangle and what dampings take; three of these are tried as a rule.
OptimizerNeeds needs_of_levenberg_marquardt(const OptimizerOptions&, const TrainedSize& size) {
  const double p = double(size.parameters), n = std::max(double(size.rows), p);
  const int ranks = size.ranks->count();
  return {p, std::max(tall_qr_numbers(n, p + 1, ranks), good_step_numbers(p + 1, ranks)),
          2 * n * p * p + 3 * 2. / 3 * p * p * p};
}

}  // namespace

const OptimizerKind kinds::levenberg_marquardt = {"levenberg_marquardt",
                                                  make_levenberg_marquardt,
                                                  needs_of_levenberg_marquardt,
                                                  "damping geodesic corrections",
                                                  false,
                                                  "sketched_gauss_newton or ssbroyden",
                                                  false,
                                                  true};

}  // namespace pinn
