#pragma once
#include <Eigen/Core>
#include <functional>
#include <map>
#include <set>

#include "solvers/optimize/dense/damped_squares.h"
#include "solvers/optimize/optimizer.h"

namespace pinn {

// Common parts of methods that ask for rows.

/// The sum of squares of an objective. Errors: ConfigError where it is none.
LeastSquares& least_squares_of(Objective& objective, const std::string& kind);

/// The rows R at p, and L = |R|^2.
struct Rows {
  std::vector<double> r;
  double loss = 0;
};
Rows rows_at(LeastSquares& squares, std::span<const double> p);
/// At p + d.
Rows rows_at(LeastSquares& squares, std::span<const double> p, const Eigen::VectorXd& d);

/// Begins a move with the loss and the gradient [P] where it starts: whether it may go on.
bool begin_move(Move& move, const Tensor& p, Tensor& gradient, Objective& objective,
                double tolerance);

/// Start of a move of a sum of squares.
struct SquaresMove {
  LeastSquares* squares = nullptr;
  std::span<const double> p;
  Tensor gradient;  ///< [P]
  Rows here;
};
/// The same with the rows there.
bool begin_move(Move& move, const Tensor& p, SquaresMove& start, Objective& objective,
                const OptimizerOptions& options);

/// Step that was tried, and the loss there.
struct TriedStep {
  Eigen::VectorXd d;
  double loss = 0;
};

/// The step that is taken of those that dampings give, with its damping; `d` is empty where none
/// is good.
struct ChosenStep {
  Eigen::VectorXd d;
  double loss = 0, damping = 0;
};

/// The step of the smallest damping, so the longest, by which the loss falls by at least `least` of
/// what was predicted: long steps count, not the lowest loss. Looked for by half decades from the
/// damping of the move before: down, at most two decades, as long as steps are good; where that
/// one's is not, up to the first that is.
ChosenStep longest_good_step(const DampedSquares& model, double loss, double damping, double least,
                             const std::function<TriedStep(const DampedStep&)>& attempt);

/// How many numbers that takes of each rank for so many columns.
double good_step_numbers(double columns, int ranks);

/// The damping that a method remembers, that its options ask for, or its own.
double damping_of(const OptimizerMemory& memory, const OptimizerOptions& options, double own);

/// Misfit, in words, of a memory that has to hold a damping above 0 and these tensors, which every
/// move leaves, and may hold these numbers besides; empty if there is none.
std::string damped_misfit(const OptimizerMemory& memory,
                          const std::map<std::string, Shape>& tensors,
                          std::set<std::string> numbers = {});

/// Ends a move: takes the step and remembers its damping. False, with the reason, where none was
/// good.
bool end_move(Move& move, Tensor& p, OptimizerMemory& memory, const ChosenStep& chosen,
              double loss);

}  // namespace pinn
