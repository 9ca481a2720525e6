#include "solvers/optimize/methods/quasi_newton.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "solvers/optimize/dense/vector.h"
#include "solvers/optimize/memory.h"
#include "solvers/optimize/schedule.h"

namespace pinn {
namespace {

/// Evaluates at p + t d, each time at a fresh tensor.
Trial evaluate(Objective& objective, const Tensor& p, const Tensor& d, double t) {
  Trial trial{t, 0, 0, empty(p.shape())};
  trial.value = objective.value_and_gradient(vector_of(array(p) + t * array(d)), trial.gradient);
  trial.slope = dot(trial.gradient, d);
  return trial;
}

/// The difference of steps below which no component of p + t d differs by more than rounding.
double resolution(const Tensor& p, const Tensor& d) {
  return std::numeric_limits<double>::epsilon() * largest(p) / largest(d);
}

}  // namespace

Move QuasiNewton::advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const {
  Move move;
  move.evaluations = 0;
  if (!memory.tensors.count("gradient")) {
    Tensor gradient = empty(p.shape());
    memory.numbers["value"] = objective.value_and_gradient(p, gradient);
    memory.tensors["gradient"] = gradient;
    ++move.evaluations;
  }
  const Tensor gradient = memory.tensors["gradient"];
  move.loss = memory.numbers["value"];
  const double size = largest(gradient);
  move.stopped = not_finite(move.loss, size);
  move.diverged = !move.stopped.empty();
  if (move.stopped.empty()) move.stopped = small_gradient(size, options_.tolerance);
  if (!move.stopped.empty()) return move;

  if (descend(p, memory, objective, move)) return move;
  if (has_learned(memory)) {
    forget(memory);
    if (descend(p, memory, objective, move)) return move;
  }
  move.stopped = fmt::format(
      "line search failed along the steepest descent: no lower loss than {:.6g} at a distance that "
      "rounding resolves (largest gradient component {:.3g})",
      move.loss, size);
  return move;
}

bool QuasiNewton::descend(Tensor& p, OptimizerMemory& memory, Objective& objective,
                          Move& move) const {
  const Tensor gradient = memory.tensors["gradient"];
  const Tensor d = direction(memory, gradient, objective.threads());
  const Trial start{0, move.loss, dot(gradient, d), gradient};
  if (!(start.slope < 0)) return false;  // also when it is NaN

  WolfeOptions search;
  search.resolution = resolution(p, d);
  const auto along = [&](double t) { return evaluate(objective, p, d, t); };
  const WolfeResult found =
      wolfe_search(along, start, first_step(memory, start.value, start.slope, gradient), search);
  move.evaluations += found.evaluations;
  const Trial& best = found.trial;
  if (!(best.value < start.value) || best.step <= search.resolution) return false;

  array(p) += best.step * array(d);
  move.rate = best.step;
  learn(memory,
        {best.step, start.slope, vector_of(best.step * array(d)),
         vector_of(array(best.gradient) - array(gradient)), best.gradient},
        objective.threads());
  memory.tensors["gradient"] = best.gradient;
  memory.numbers["previous_value"] = start.value;
  memory.numbers["value"] = best.value;
  ++memory.moves;
  return true;
}

std::string QuasiNewton::misfit(const OptimizerMemory& memory, std::int64_t parameters) const {
  std::map<std::string, Shape> tensors = {{"gradient", {parameters}}};
  std::set<std::string> numbers = {"value", "previous_value"};
  const std::size_t gradient = memory.tensors.count("gradient"),
                    value = memory.numbers.count("value");
  if (gradient != value) return "it has one of 'gradient' and 'value'";
  if (memory.numbers.count("previous_value") > value)
    return "it has a 'previous_value' and no 'value'";
  const std::string wrong = misfit_of_curvature(memory, parameters, tensors, numbers);
  return wrong.empty() ? misfit_of(memory, tensors, numbers) : wrong;
}

void QuasiNewton::objective_changed(OptimizerMemory& memory) const {
  memory.tensors.erase("gradient");
  memory.numbers.erase("value");
  memory.numbers.erase("previous_value");
  review(memory);
}

}  // namespace pinn
