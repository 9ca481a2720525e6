#include "solvers/optimize/methods/first_order.h"

#include <fmt/format.h>

#include "solvers/optimize/dense/vector.h"
#include "solvers/optimize/memory.h"
#include "solvers/optimize/schedule.h"

namespace pinn {

Move FirstOrder::advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const {
  Move move;
  Tensor gradient = empty(p.shape());
  move.loss = objective.value_and_gradient(p, gradient);
  move.rate = scheduled_rate(options_, memory.moves);
  judge(move, largest(gradient));
  const auto previous = memory.tensors.find("previous");
  if (move.diverged && previous != memory.tensors.end()) array(p) = array(previous->second);
  if (!move.stopped.empty()) return move;

  array(remembered(memory, "previous", p.shape())) = array(p);
  for (const auto& [name, shape] : remembers(p.numel())) remembered(memory, name, shape);
  if (options_.clip > 0) clip(gradient, options_.clip);
  step(p, gradient, memory, objective.threads());
  ++memory.moves;
  return move;
}

void FirstOrder::judge(Move& move, double largest) const {
  move.stopped = not_finite(move.loss, largest);
  move.diverged = !move.stopped.empty();
  if (move.stopped.empty()) move.stopped = small_gradient(largest, options_.tolerance);
}

std::string FirstOrder::misfit(const OptimizerMemory& memory, std::int64_t parameters) const {
  std::map<std::string, Shape> known = remembers(parameters);
  known["previous"] = {parameters};
  if (memory.tensors.size() != (memory.moves > 0 ? known.size() : 0))
    return fmt::format("it has {} tensors after {} moves", memory.tensors.size(), memory.moves);
  return misfit_of(memory, known);
}

void clip(Tensor& gradient, double limit) {
  double length = norm(gradient);
  if (std::isinf(length)) {  // a square has left the range of numbers
    array(gradient) /= largest(gradient);
    length = norm(gradient);
    array(gradient) *= limit / length;
  } else if (length > limit) {
    array(gradient) *= limit / length;
  }
}

Tensor& remembered(OptimizerMemory& memory, const std::string& name, const Shape& shape) {
  const auto found = memory.tensors.find(name);
  if (found != memory.tensors.end()) return found->second;
  return memory.tensors[name] = zeros(shape);
}

}  // namespace pinn
