#include <algorithm>
#include <cmath>

#include "solvers/optimize/kinds.h"
#include "solvers/optimize/least_squares_method.h"
#include "solvers/optimize/tall_qr.h"
#include "solvers/optimize/valley.h"
#include "solvers/optimize/vector.h"

namespace pinn {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

/// Of the predicted decrease, what a good step has to come to.
constexpr double least_full_ratio = 0.15;

class LevenbergMarquardt : public Optimizer {
 public:
  explicit LevenbergMarquardt(const OptimizerOptions& options) : options_(options) {}

  Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const override {
    Move move;
    SquaresMove start;
    if (!begin_move(move, p, start, objective, options_)) return move;
    TallMatrix j(start.here.r.size(), start.p.size() + 1);
    j.take(*start.squares, start.p, start.here.r);
    MatrixXd triangle = j.triangle(objective.threads());
    ++move.evaluations;

    const VectorXd scales = scales_of(triangle, memory);
    const DampedSquares model(std::move(triangle), scales);
    const Valley valley(start, model, scales, move);
    const auto attempt = [&](const DampedStep& step) { return valley.follow(step, options_); };
    end_move(move, p, memory,
             longest_good_step(model, start.here.loss, damping_of(memory, options_, 1),
                               least_full_ratio, objective.threads(), attempt),
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
  static VectorXd scales_of(const MatrixXd& triangle, OptimizerMemory& memory) {
    const Index n = triangle.cols() - 1;
    Tensor& known = memory.tensors["scales"];
    if (!known.defined()) known = zeros({n});
    for (Index k = 0; k < n; ++k) {
      double& scale = known.data<double>()[std::size_t(k)];
      scale = std::max(scale, triangle.col(k).head(k + 1).norm());
    }
    const double least = std::max(1e-12 * largest(known), 1e-300);
    return array(known).max(least).matrix();
  }

  const OptimizerOptions options_;
};

std::unique_ptr<Optimizer> make_levenberg_marquardt(const OptimizerOptions& options,
                                                    const TrainedSize&) {
  return std::make_unique<LevenbergMarquardt>(options);
}

/// J, or its triangle and what dampings take; three of these are tried as a rule.
OptimizerNeeds needs_of_levenberg_marquardt(const OptimizerOptions&, const TrainedSize& size) {
  const double p = double(size.parameters), n = std::max(double(size.rows), p);
  return {p, std::max(tall_qr_numbers(n, p + 1), p * p + good_step_numbers(p)),
          2 * n * p * p + 3 * 2. / 3 * p * p * p};
}

}  // namespace

const OptimizerKind kinds::levenberg_marquardt = {"levenberg_marquardt",
                                                  make_levenberg_marquardt,
                                                  needs_of_levenberg_marquardt,
                                                  false,
                                                  "sketched_gauss_newton or ssbroyden",
                                                  false,
                                                  true};

}  // namespace pinn
