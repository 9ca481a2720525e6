#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/optimize/kinds.h"
#include "solvers/optimize/least_squares_method.h"
#include "solvers/optimize/memory.h"
#include "solvers/optimize/tall_qr.h"
#include "solvers/optimize/vector.h"

namespace pinn {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

/// Of the predicted decrease, what a good step has to come to.
constexpr double least_ratio = 0.15;
/// Of a step, where the path is looked at for its curvature.
constexpr double probe = 0.1;
/// Of a step, the most that the acceleration may come to.
constexpr double most_acceleration = 0.75;

class LevenbergMarquardt : public Optimizer {
 public:
  explicit LevenbergMarquardt(const OptimizerOptions& options) : options_(options) {}

  Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const override {
    Move move;
    Tensor gradient;
    if (!begin_move(move, p, gradient, objective, options_.tolerance)) return move;
    LeastSquares& squares = least_squares_of(objective, options_.kind);
    const std::span<const double> at = p.data<double>();
    const Rows here = rows_at(squares, at);
    TallMatrix j(here.r.size(), at.size() + 1);
    j.take(squares, at, here.r);
    MatrixXd triangle = j.triangle(objective.threads());
    move.evaluations += 2;

    const VectorXd scales = scales_of(triangle, memory);
    const DampedSquares model(std::move(triangle), scales);
    const auto attempt = [&](const DampedStep& step) {
      return accelerated(squares, at, here, model, scales, step, move);
    };
    const double known = damping(memory);
    const ChosenStep chosen =
        longest_good_step(model, here.loss, known, least_ratio, objective.threads(), attempt);
    if (chosen.d.size() == 0) {
      move.stopped = fmt::format(
          "no damping gives a step that lowers the loss of {:.6g} as predicted", here.loss);
      return move;
    }
    array(p) += chosen.d.array();
    memory.numbers["damping"] = chosen.damping;
    move.rate = chosen.damping;
    ++memory.moves;
    return move;
  }

  /// The damping stays, and the scales, which only grow.
  void objective_changed(OptimizerMemory&) const override {}

  std::string misfit(const OptimizerMemory& memory, std::int64_t parameters) const override {
    if (const auto found = memory.numbers.find("damping");
        found != memory.numbers.end() && !(found->second > 0))
      return "its 'damping' is not above 0";
    return misfit_of(memory, {{"scales", {parameters}}}, {"damping"});
  }

 private:
  double damping(const OptimizerMemory& memory) const {
    const auto found = memory.numbers.find("damping");
    if (found != memory.numbers.end()) return found->second;
    return options_.damping > 0 ? options_.damping : 1;
  }

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

  /// A step d, and with it half of the acceleration a of the path that it begins, where that is
  /// small and does better: a solves the same equations with the second derivative of R along d.
  TriedStep accelerated(LeastSquares& squares, std::span<const double> p, const Rows& here,
                        const DampedSquares& model, const VectorXd& scales, const DampedStep& step,
                        Move& move) const {
    TriedStep plain{step.d, rows_at(squares, p, step.d).loss};
    ++move.evaluations;
    if (!options_.geodesic) return plain;
    std::vector<double> bend = rows_at(squares, p, probe * step.d).r, slope(bend.size());
    squares.jacobian_times(p, {step.d.data(), std::size_t(step.d.size())}, slope);
    for (std::size_t i = 0; i < bend.size(); ++i)
      bend[i] = 2 / probe * ((bend[i] - here.r[i]) / probe - slope[i]);
    VectorXd g(step.d.size());
    squares.transposed_times(p, bend, {g.data(), std::size_t(g.size())});
    const VectorXd a = -0.5 * model.solve(step, g);
    move.evaluations += 3;
    const bool small =
        2 * scales.cwiseProduct(a).norm() < most_acceleration * scales.cwiseProduct(step.d).norm();
    if (!small) return plain;
    TriedStep bent{step.d + a, rows_at(squares, p, step.d + a).loss};
    ++move.evaluations;
    return bent.loss < plain.loss || !std::isfinite(plain.loss) ? bent : plain;
  }

  const OptimizerOptions options_;
};

std::unique_ptr<Optimizer> make(const OptimizerOptions& options, const TrainedSize&) {
  return std::make_unique<LevenbergMarquardt>(options);
}

/// J, its triangle, and two for each of two dampings; five of these are tried as a rule.
OptimizerNeeds needs(const OptimizerOptions&, const TrainedSize& size) {
  const double p = double(size.parameters), n = std::max(double(size.rows), p);
  return {p, tall_qr_numbers(n, p + 1) + 5 * p * p, 2 * n * p * p + 5 * 2. / 3 * p * p * p};
}

}  // namespace

const OptimizerKind kinds::levenberg_marquardt = {
    "levenberg_marquardt", make, needs, false, "sketched_gauss_newton or ssbroyden", false, true};

}  // namespace pinn
