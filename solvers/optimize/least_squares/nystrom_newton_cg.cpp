#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/optimize/dense/decompositions.h"
#include "solvers/optimize/dense/vector.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/least_squares/least_squares_method.h"
#include "solvers/optimize/memory.h"

namespace pinn {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int own_rank = 60, own_refresh = 20;
constexpr double newton_damping = 1e-8;
/// Share of the gradient that may be left in the equations of a direction.
constexpr double left_over = 1e-6;
constexpr int most_products = 1000;  ///< for a direction
/// Share of the decrease promised by the slope that a step has to keep; newton_halvings of a step.
constexpr double least_decrease = 0.1;
constexpr int newton_halvings = 40;

std::size_t rank_of(const OptimizerOptions& options, std::size_t parameters) {
  return std::min(std::size_t(options.rank > 0 ? options.rank : own_rank), parameters);
}

double dot(const VectorXd& a, const VectorXd& b) {
  return pinn::dot(a.data(), b.data(), std::size_t(a.size()));
}

/// Products with the Hessian at one point, counted.
class Hessian {
 public:
  Hessian(LeastSquares& squares, std::span<const double> p, long& count)
      : squares_(squares), p_(p), count_(count) {}

  VectorXd operator*(const VectorXd& v) const {
    ++count_;
    VectorXd product(v.size());
    squares_.hessian_times(p_, {v.data(), p_.size()}, {product.data(), p_.size()});
    return product;
  }

 private:
  LeastSquares& squares_;
  std::span<const double> p_;
  long& count_;
};

/// (H + damping I)^-1 v by preconditioned conjugate gradients. Where a direction has no positive
/// curvature, what came out so far: every iterate has a positive product with v.
VectorXd damped_solution(const Hessian& hessian, const LowRank& known, double damping,
                         const VectorXd& v) {
  VectorXd x = VectorXd::Zero(v.size()), r = v, z = known.solve(r, damping), d = z;
  double rz = dot(r, z);
  const double enough = left_over * left_over * dot(v, v);
  for (int k = 0; k < most_products && dot(r, r) > enough; ++k) {
    const VectorXd hd = hessian * d + damping * d;
    const double curvature = dot(d, hd);
    if (!(curvature > 0)) return k == 0 ? z : x;
    x += rz / curvature * d;
    r -= rz / curvature * hd;
    z = known.solve(r, damping);
    const double next = dot(r, z);
    d = z + next / rz * d;
    rz = next;
  }
  return x;
}

class NystromNewtonCg : public Optimizer {
 public:
  NystromNewtonCg(const OptimizerOptions& options, const TrainedSize& size)
      : options_(options), random_(size.random) {}

  Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const override {
    Move move;
    Tensor gradient;
    if (!begin_move(move, p, gradient, objective, options_.tolerance)) return move;
    const Hessian hessian(least_squares_of(objective, options_.kind), p.data<double>(),
                          move.evaluations);
    const VectorXd down = -array(gradient).matrix();
    const LowRank known = preconditioner(memory, hessian, down.size());
    const double largest = known.curvatures[0];
    const double damping = (options_.damping > 0 ? options_.damping : newton_damping) * largest;
    const VectorXd newton =
        damping > 0 ? damped_solution(hessian, known, damping, down) : VectorXd(down);
    if (descend(p, newton, down, objective, move) ||
        descend(p, down / (largest > 0 ? largest : 1), down, objective, move)) {
      ++memory.moves;
      return move;
    }
    move.stopped = fmt::format(
        "line search failed along the steepest descent: no lower loss than {:.6g} within {} "
        "halvings of a step",
        move.loss, newton_halvings);
    return move;
  }

  /// The known curvature only preconditions: it stays until it is drawn anew.
  void objective_changed(OptimizerMemory&) const override {}

  std::string misfit(const OptimizerMemory& memory, std::int64_t parameters) const override {
    if (memory.tensors.count("directions") != memory.tensors.count("curvatures"))
      return "it has one of 'directions' and 'curvatures'";
    if (const std::string lack = lack_of(memory, {"directions"}); !lack.empty()) return lack;
    const auto rank = std::int64_t(rank_of(options_, std::size_t(parameters)));
    return misfit_of(memory, {{"directions", {parameters, rank}}, {"curvatures", {rank}}});
  }

 private:
  /// Approximation of the Hessian in the memory; every `refresh` moves it is drawn anew.
  LowRank preconditioner(OptimizerMemory& memory, const Hessian& hessian, Index parameters) const {
    const long refresh = options_.refresh > 0 ? options_.refresh : own_refresh;
    const Index rank = Index(rank_of(options_, std::size_t(parameters)));
    if (memory.moves % refresh == 0 || !memory.tensors.count("directions")) {
      Random random = random_;
      random.draw = std::uint32_t(memory.moves);
      const auto products = [&](const MatrixXd& w) {
        MatrixXd y(w.rows(), w.cols());
        for (Index k = 0; k < w.cols(); ++k) y.col(k) = hessian * w.col(k);
        return y;
      };
      const LowRank drawn = nystrom(std::size_t(parameters), std::size_t(rank), random, products);
      Tensor& directions = memory.tensors["directions"] = empty({parameters, rank});
      Eigen::Map<RowMajor>(directions.data<double>().data(), parameters, rank) = drawn.directions;
      memory.tensors["curvatures"] = vector_of(drawn.curvatures.array());
    }
    const double* const from = memory.tensors.at("directions").data<double>().data();
    return {Eigen::Map<const RowMajor>(from, parameters, rank),
            array(memory.tensors.at("curvatures")).matrix()};
  }

  /// Moves p along a direction by the first of 1, 1/2, 1/4 ... of it that lowers the loss enough;
  /// false where none does.
  static bool descend(Tensor& p, const VectorXd& direction, const VectorXd& down,
                      Objective& objective, Move& move) {
    const double slope = -dot(down, direction);
    if (!(slope < 0)) return false;
    double step = 1;
    for (int k = 0; k <= newton_halvings; ++k, step /= 2) {
      const Tensor there = vector_of(array(p) + step * direction.array());
      const double value = objective.value(there);
      ++move.evaluations;
      if (!(value < move.loss && value <= move.loss + least_decrease * step * slope)) continue;
      array(p) = array(there);
      move.rate = step;
      return true;
    }
    return false;
  }

  const OptimizerOptions options_;
  const Random random_;
};

std::unique_ptr<Optimizer> make_nystrom_newton_cg(const OptimizerOptions& options,
                                                  const TrainedSize& size) {
  return std::make_unique<NystromNewtonCg>(options, size);
}

/// The directions, and three times as much while they are drawn; a hundred products for each move.
OptimizerNeeds needs_of_nystrom_newton_cg(const OptimizerOptions& options,
                                          const TrainedSize& size) {
  const double p = double(size.parameters), rank = double(rank_of(options, size.parameters));
  return {(p + 1) * rank, 4 * p * rank, 100 * 4 * p * rank};
}

}  // namespace

const OptimizerKind kinds::nystrom_newton_cg = {"nystrom_newton_cg",
                                                make_nystrom_newton_cg,
                                                needs_of_nystrom_newton_cg,
                                                "damping rank refresh",
                                                false,
                                                "a smaller rank, or lbfgs",
                                                false,
                                                true,
                                                true};

}  // namespace pinn
