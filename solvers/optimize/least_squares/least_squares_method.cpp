#include "solvers/optimize/least_squares/least_squares_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "solvers/optimize/dense/tall_qr.h"
#include "solvers/optimize/dense/vector.h"
#include "solvers/optimize/memory.h"
#include "solvers/optimize/schedule.h"

namespace pinn {
namespace {

constexpr int longer = 4;    ///< dampings that are tried below the one remembered
constexpr int at_once = 4;   ///< dampings: each holds squares of the columns
constexpr int by_ranks = 2;  ///< the same where there are ranks: they have room for their part
const double up = std::sqrt(10.), down = 1 / up;  ///< from one damping to the next
constexpr double least_damping = 1e-32, most_damping = 1e14;

/// The steps of dampings one after the other, of which some are made at once, ahead of time.
class DampedWalk {
 public:
  explicit DampedWalk(const DampedSquares& model)
      : model_(model), together_(std::min(hands(model.workers()), at_once)) {}

  /// The step of a damping; the next ones are likely to be asked for after it, `factor` apart.
  const DampedStep& step(double damping, double factor, int next) {
    for (const DampedStep& made : made_)
      if (made.damping == damping) return made;
    std::vector<double> dampings = {damping};
    while (int(dampings.size()) < std::min(together_, 1 + next))
      dampings.push_back(dampings.back() * factor);
    made_.clear();  // before others take as much
    made_ = model_.steps(dampings);
    return made_.front();
  }

 private:
  /// Those that all ranks know of: they work on the same dampings.
  static int hands(const Workers& workers) {
    if (workers.ranks->count() > 1) return by_ranks;
    return workers.threads ? workers.threads->threads() : 1;
  }

  const DampedSquares& model_;
  const int together_;
  std::vector<DampedStep> made_;
};

}  // namespace

LeastSquares& least_squares_of(Objective& objective, const std::string& kind) {
  if (LeastSquares* const squares = objective.least_squares()) return *squares;
  throw ConfigError({kind + " needs a sum of squares, and the objective is none",
                     "optimizer options", "use ssbroyden or lbfgs"});
}

Rows rows_at(LeastSquares& squares, std::span<const double> p) {
  Rows rows{std::vector<double>(squares.rows())};
  squares.residual(p, rows.r);
  rows.loss = dot(rows.r.data(), rows.r.data(), rows.r.size());
  return rows;
}

Rows rows_at(LeastSquares& squares, std::span<const double> p, const Eigen::VectorXd& d) {
  std::vector<double> there(p.begin(), p.end());
  for (std::size_t i = 0; i < there.size(); ++i) there[i] += d[Eigen::Index(i)];
  return rows_at(squares, there);
}

bool begin_move(Move& move, const Tensor& p, Tensor& gradient, Objective& objective,
                double tolerance) {
  gradient = empty(p.shape());
  move.loss = objective.value_and_gradient(p, gradient);
  const double size = largest(gradient);
  move.stopped = not_finite(move.loss, size);
  move.diverged = !move.stopped.empty();
  if (move.stopped.empty()) move.stopped = small_gradient(size, tolerance);
  return move.stopped.empty();
}

bool begin_move(Move& move, const Tensor& p, SquaresMove& start, Objective& objective,
                const OptimizerOptions& options) {
  if (!begin_move(move, p, start.gradient, objective, options.tolerance)) return false;
  start.squares = &least_squares_of(objective, options.kind);
  start.p = p.data<double>();
  start.here = rows_at(*start.squares, start.p);
  ++move.evaluations;
  return true;
}

ChosenStep longest_good_step(const DampedSquares& model, double loss, double damping, double least,
                             const std::function<TriedStep(const DampedStep&)>& attempt) {
  DampedWalk walk(model);
  ChosenStep chosen;
  const auto good = [&](double at, double factor, int next) {
    const DampedStep& step = walk.step(at, factor, next);
    TriedStep tried = attempt(step);
    const bool is = loss - tried.loss >= least * step.predicted && tried.loss < loss;
    if (is) chosen = {std::move(tried.d), tried.loss, at};
    return is;
  };
  double at = std::clamp(damping, least_damping, most_damping);
  if (good(at, down, longer)) {
    for (int left = longer - 1; left >= 0 && at > least_damping; --left)
      if (!good(at *= down, down, left)) break;
  } else {
    while (at < most_damping && !good(at *= up, up, at_once)) {
    }
  }
  return chosen;
}

/// The model's triangle, and for each damping a factor, and what is stacked with it.
double good_step_numbers(double columns, int ranks) {
  return columns * columns / 2 / ranks +
         stack_numbers(ranks > 1 ? by_ranks : at_once, columns, ranks);
}

double damping_of(const OptimizerMemory& memory, const OptimizerOptions& options, double own) {
  const auto found = memory.numbers.find("damping");
  if (found != memory.numbers.end()) return found->second;
  return options.damping > 0 ? options.damping : own;
}

std::string damped_misfit(const OptimizerMemory& memory,
                          const std::map<std::string, Shape>& tensors,
                          std::set<std::string> numbers) {
  const auto found = memory.numbers.find("damping");
  if (found != memory.numbers.end() && !(found->second > 0)) return "its 'damping' is not above 0";
  std::set<std::string> names;
  for (const auto& [name, shape] : tensors) names.insert(name);
  numbers.insert("damping");
  const std::string lack = lack_of(memory, names, {"damping"});
  return lack.empty() ? misfit_of(memory, tensors, numbers) : lack;
}

bool end_move(Move& move, Tensor& p, OptimizerMemory& memory, const ChosenStep& chosen,
              double loss) {
  if (chosen.d.size() == 0) {
    move.stopped =
        fmt::format("no damping gives a step that lowers the loss of {:.6g} as predicted", loss);
    return false;
  }
  array(p) += chosen.d.array();
  memory.numbers["damping"] = chosen.damping;
  move.rate = chosen.damping;
  ++memory.moves;
  return true;
}

}  // namespace pinn
