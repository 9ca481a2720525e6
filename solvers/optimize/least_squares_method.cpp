#include "solvers/optimize/least_squares_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "solvers/optimize/memory.h"
#include "solvers/optimize/stop.h"
#include "solvers/optimize/vector.h"

namespace pinn {
namespace {

constexpr int around = 9;       ///< dampings that are tried
constexpr int at_once = 4;      ///< of these, by threads: each holds squares of the columns
constexpr double spread = 100;  ///< of the largest of them to the middle
constexpr double least_damping = 1e-32, most_damping = 1e12;

/// From large to small, none twice.
std::vector<double> dampings_around(double middle) {
  std::vector<double> all;
  for (int k = 0; k < around; ++k) {
    const double power = 1 - 2.0 * k / (around - 1);
    all.push_back(std::max(least_damping, middle * std::pow(spread, power)));
  }
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

/// One try of `longest_good_step`.
ChosenStep longest_around(const DampedSquares& model, double loss, double damping, double least,
                          ThreadPool* threads,
                          const std::function<TriedStep(const DampedStep&)>& attempt) {
  ChosenStep chosen;
  const std::vector<double> dampings = dampings_around(damping);
  const std::size_t together = threads ? std::size_t(std::min(threads->threads(), at_once)) : 1;
  for (std::size_t k = 0; k < dampings.size(); k += together) {
    const std::size_t end = std::min(k + together, dampings.size());
    for (const DampedStep& step :
         model.steps({dampings.begin() + long(k), dampings.begin() + long(end)}, threads)) {
      TriedStep tried = attempt(step);
      const bool good = loss - tried.loss >= least * step.predicted && tried.loss < loss;
      if (good)
        chosen = {std::move(tried.d), tried.loss, step.damping};
      else if (chosen.d.size() > 0)
        return chosen;
    }
  }
  return chosen;
}

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
                             ThreadPool* threads,
                             const std::function<TriedStep(const DampedStep&)>& attempt) {
  for (damping = std::min(damping, most_damping); damping <= most_damping; damping *= spread) {
    ChosenStep chosen = longest_around(model, loss, damping, least, threads, attempt);
    if (chosen.d.size() > 0) return chosen;
  }
  return {};
}

/// A factor for each, and where it is made a second triangle, a panel of both, and what was freed.
double good_step_numbers(double columns) { return 3.0 * at_once * columns * columns; }

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
