#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/optimize/kinds.h"
#include "solvers/optimize/least_squares_method.h"
#include "solvers/optimize/memory.h"
#include "solvers/optimize/sketch.h"
#include "solvers/optimize/tall_qr.h"
#include "solvers/optimize/vector.h"

namespace pinn {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

/// Of the predicted decrease, what a good step has to come to: the sketch does not see all.
constexpr double least_ratio = 0.075;
/// Rows of the sketch for each of its columns.
constexpr std::size_t rows_per_column = 2;

/// Sketches that are drawn for a move before it gives up.
constexpr int draws = 12;
/// Directions below which none is left out.
constexpr std::size_t few = 64;

std::size_t directions_of(const OptimizerOptions& options, std::size_t parameters) {
  const std::size_t asked =
      options.sketch > 0 ? std::size_t(options.sketch) : std::max(few, parameters / 3);
  return std::clamp<std::size_t>(asked, 1, parameters);
}

class SketchedGaussNewton : public Optimizer {
 public:
  SketchedGaussNewton(const OptimizerOptions& options, const TrainedSize& size)
      : options_(options), random_(size.random) {}

  Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const override {
    Move move;
    Tensor gradient;
    if (!begin_move(move, p, gradient, objective, options_.tolerance)) return move;
    LeastSquares& squares = least_squares_of(objective, options_.kind);
    const std::span<const double> at = p.data<double>();
    const Rows here = rows_at(squares, at);
    ++move.evaluations;
    Random random = random_;
    random.draw = std::uint32_t(memory.moves);
    ChosenStep chosen;
    for (int k = 0; k < draws && chosen.d.size() == 0; ++k)
      chosen = step(squares, at, here, damping(memory), random.child(std::uint64_t(k)),
                    objective.threads(), move);
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

  /// The damping stays.
  void objective_changed(OptimizerMemory&) const override {}

  std::string misfit(const OptimizerMemory& memory, std::int64_t) const override {
    if (const auto found = memory.numbers.find("damping");
        found != memory.numbers.end() && !(found->second > 0))
      return "its 'damping' is not above 0";
    return misfit_of(memory, {}, {"damping"});
  }

 private:
  /// By one sketch.
  ChosenStep step(LeastSquares& squares, std::span<const double> p, const Rows& here,
                  double damping, const Random& random, ThreadPool* threads, Move& move) const {
    const RandomDirections directions(p.size(), directions_of(options_, p.size()), random.child(0));
    const DampedSquares model(sketched(squares, p, here.r, directions, random.child(1), threads),
                              VectorXd::Ones(Index(directions.count())));
    ++move.evaluations;
    const auto attempt = [&](const DampedStep& step) {
      TriedStep tried{directions.lift(step.d), 0};
      tried.loss = rows_at(squares, p, tried.d).loss;
      ++move.evaluations;
      return tried;
    };
    return longest_good_step(model, here.loss, damping, least_ratio, threads, attempt);
  }

  double damping(const OptimizerMemory& memory) const {
    const auto found = memory.numbers.find("damping");
    if (found != memory.numbers.end()) return found->second;
    return options_.damping > 0 ? options_.damping : 1;
  }

  /// The triangle of [S J D, S r] with directions D and sums of rows S.
  static MatrixXd sketched(LeastSquares& squares, std::span<const double> p,
                           std::span<const double> r, const RandomDirections& directions,
                           const Random& random, ThreadPool* threads) {
    const std::size_t width = directions.count() + 1;
    std::vector<double> rows(r.size() * width);
    squares.jacobian(p, 64, LeastSquares::Eater<double>([&](const JacobianRows<double>& some) {
                       std::vector<double> room;
                       for (std::size_t i = 0; i < some.count; ++i)
                         directions.sketch(some.row(i), room,
                                           rows.data() + (some.first + i) * width);
                     }));
    for (std::size_t i = 0; i < r.size(); ++i) rows[(i + 1) * width - 1] = r[i];
    const std::size_t into = rows_per_column * width;
    if (r.size() <= into) return triangle_of(rows, width, threads);
    const MatrixXd sums = count_sketch(rows, width, into, random, threads);
    TallMatrix tall(into, width);
    for (std::size_t i = 0; i < into; ++i) {
      const VectorXd row = sums.row(Index(i)).transpose();
      tall.set_row(i, row.data());
      tall.set_last(i, row[Index(width) - 1]);
    }
    return tall.triangle(threads);
  }

  static MatrixXd triangle_of(std::span<const double> rows, std::size_t width,
                              ThreadPool* threads) {
    TallMatrix tall(rows.size() / width, width);
    for (std::size_t i = 0; (i + 1) * width <= rows.size(); ++i) {
      tall.set_row(i, rows.data() + i * width);
      tall.set_last(i, rows[(i + 1) * width - 1]);
    }
    return tall.triangle(threads);
  }

  const OptimizerOptions options_;
  const Random random_;
};

std::unique_ptr<Optimizer> make(const OptimizerOptions& options, const TrainedSize& size) {
  return std::make_unique<SketchedGaussNewton>(options, size);
}

/// Rows along the directions, their sums, and triangles.
OptimizerNeeds needs(const OptimizerOptions& options, const TrainedSize& size) {
  const double p = double(size.parameters), n = std::max(double(size.rows), p),
               s = double(directions_of(options, size.parameters));
  const double into = double(rows_per_column) * s;
  return {0, n * s + into * s + tall_qr_numbers(into, s) + 5 * s * s,
          n * p * std::log2(p + 1) + 4 * n * s + 2 * into * s * s + 5 * 2. / 3 * s * s * s};
}

}  // namespace

const OptimizerKind kinds::sketched_gauss_newton = {
    "sketched_gauss_newton", make, needs, false, "a smaller sketch, or ssbroyden", true, true};

}  // namespace pinn
