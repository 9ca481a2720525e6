#include <algorithm>
#include <cmath>

#include "solvers/optimize/dense/sketch.h"
#include "solvers/optimize/dense/tall_qr.h"
#include "solvers/optimize/dense/vector.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/least_squares/least_squares_method.h"
#include "solvers/optimize/memory.h"

namespace pinn {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

/// Share of the predicted decrease that a good step has to reach: the sketch does not see all.
constexpr double least_sketch_ratio = 0.075;
/// Rows of a sketch for each of its columns, at first. What is left of the residual where no step
/// can lower it is fitted all the same, by a share of columns per row: a sketch of few rows then
/// promises what no step keeps, however damped. So each that fails is followed by one of twice as
/// many rows, for good, up to all there are.
constexpr double least_rows_per_column = 2;

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
      : options_(options), random_(size.random), ranks_(*size.ranks) {}

  Move advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const override {
    Move move;
    SquaresMove start;
    if (!begin_move(move, p, start, objective, options_)) return move;
    Random random = random_;
    random.draw = std::uint32_t(memory.moves);
    const double damping = damping_of(memory, options_, 1);
    double rows_per_column = rows_per_column_of(memory);
    ChosenStep chosen;
    for (int k = 0; k < draws; ++k) {
      chosen = step(start, damping, rows_per_column, random.child(std::uint64_t(k)),
                    {objective.threads(), ranks_}, move);
      if (chosen.d.size() > 0) break;
      const double all = double(start.here.r.size());
      if (rows_per_column * double(directions_of(options_, start.p.size()) + 1) < all)
        rows_per_column *= 2;
    }
    if (end_move(move, p, memory, chosen, start.here.loss))
      memory.numbers["rows_per_column"] = rows_per_column;
    return move;
  }

  /// The damping stays, and so do the rows.
  void objective_changed(OptimizerMemory&) const override {}

  std::string misfit(const OptimizerMemory& memory, std::int64_t) const override {
    const std::string misfit = damped_misfit(memory, {}, {"rows_per_column"});
    if (!misfit.empty()) return misfit;
    const bool known = is_whole(rows_per_column_of(memory), least_rows_per_column, 1e15);
    return known ? "" : "its 'rows_per_column' is no whole number from 2 on";
  }

 private:
  static double rows_per_column_of(const OptimizerMemory& memory) {
    const auto found = memory.numbers.find("rows_per_column");
    return found == memory.numbers.end() ? least_rows_per_column : found->second;
  }

  /// By one sketch.
  ChosenStep step(const SquaresMove& start, double damping, double rows_per_column,
                  const Random& random, const Workers& workers, Move& move) const {
    LeastSquares& squares = *start.squares;
    const std::span<const double> p = start.p;
    const RandomDirections directions(p.size(), directions_of(options_, p.size()), random.child(0));
    const DampedSquares model(
        sketched(squares, p, start.here.r, directions, rows_per_column, random.child(1), workers),
        VectorXd::Ones(Index(directions.count())), workers);
    ++move.evaluations;
    const auto attempt = [&](const DampedStep& step) {
      TriedStep tried{directions.lift(step.d), 0};
      tried.loss = rows_at(squares, p, tried.d).loss;
      ++move.evaluations;
      return tried;
    };
    return longest_good_step(model, start.here.loss, damping, least_sketch_ratio, attempt);
  }

  /// The triangle of [S J D, S r] with directions D and sums of rows S.
  static StripTriangle sketched(LeastSquares& squares, std::span<const double> p,
                                std::span<const double> r, const RandomDirections& directions,
                                double rows_per_column, const Random& random,
                                const Workers& workers) {
    const std::size_t width = directions.count() + 1;
    std::vector<double> rows(r.size() * width);
    squares.jacobian(p, 64, LeastSquares::Eater<double>([&](const JacobianRows<double>& some) {
                       std::vector<double> room;
                       for (std::size_t i = 0; i < some.count; ++i)
                         directions.sketch(some.row(i), room,
                                           rows.data() + (some.first + i) * width);
                     }));
    for (std::size_t i = 0; i < r.size(); ++i) rows[(i + 1) * width - 1] = r[i];
    if (double(r.size()) <= rows_per_column * double(width))
      return triangle_of(rows, width, workers);
    const std::size_t into = std::size_t(rows_per_column) * width;
    const MatrixXd sums = count_sketch(rows, width, into, random, workers.threads);
    TallMatrix tall(into, width, *workers.ranks);
    for (std::size_t i = 0; i < into; ++i) {
      const VectorXd row = sums.row(Index(i)).transpose();
      tall.set_row(i, row.data());
      tall.set_last(i, row[Index(width) - 1]);
    }
    return tall.triangle(workers);
  }

  static StripTriangle triangle_of(std::span<const double> rows, std::size_t width,
                                   const Workers& workers) {
    TallMatrix tall(rows.size() / width, width, *workers.ranks);
    for (std::size_t i = 0; (i + 1) * width <= rows.size(); ++i) {
      tall.set_row(i, rows.data() + i * width);
      tall.set_last(i, rows[(i + 1) * width - 1]);
    }
    return tall.triangle(workers);
  }

  const OptimizerOptions options_;
  const Random random_;
  Ranks& ranks_;  ///< each has some strips of the sketch
};

std::unique_ptr<Optimizer> make_sketched_gauss_newton(const OptimizerOptions& options,
                                                      const TrainedSize& size) {
  return std::make_unique<SketchedGaussNewton>(options, size);
}

/// Rows along the directions, as many sums in the end, and triangles.
OptimizerNeeds needs_of_sketched_gauss_newton(const OptimizerOptions& options,
                                              const TrainedSize& size) {
  const double p = double(size.parameters), n = std::max(double(size.rows), p),
               s = double(directions_of(options, size.parameters));
  const double into = least_rows_per_column * s;
  const int ranks = size.ranks->count();
  return {0,
          std::max(2 * n * s + tall_qr_numbers(n, s + 1, ranks), good_step_numbers(s + 1, ranks)),
          n * p * std::log2(p + 1) + 4 * n * s + 2 * into * s * s + 3 * 2. / 3 * s * s * s};
}

}  // namespace

const OptimizerKind kinds::sketched_gauss_newton = {"sketched_gauss_newton",
                                                    make_sketched_gauss_newton,
                                                    needs_of_sketched_gauss_newton,
                                                    "damping sketch",
                                                    false,
                                                    "a smaller sketch, or ssbroyden",
                                                    true,
                                                    true};

}  // namespace pinn
