#include "solvers/optimize/first_order.h"

#include "solvers/optimize/schedule.h"
#include "solvers/optimize/stop.h"
#include "solvers/optimize/vector.h"

namespace pinn {

Move FirstOrder::advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const {
  Move move;
  Tensor gradient = empty(p.shape());
  move.loss = objective.value_and_gradient(p, gradient);
  move.rate = scheduled_rate(options_, memory.moves);
  move.stopped = not_finite(move.loss, gradient);
  move.diverged = !move.stopped.empty();
  const auto previous = memory.tensors.find("previous");
  if (!move.stopped.empty() && previous != memory.tensors.end()) array(p) = array(previous->second);
  if (move.stopped.empty()) move.stopped = small_gradient(gradient, options_.tolerance);
  if (!move.stopped.empty()) return move;

  array(remembered(memory, "previous", p.numel())) = array(p);
  if (options_.clip > 0) clip(gradient, options_.clip);
  step(p, gradient, move.rate, memory);
  ++memory.moves;
  return move;
}

void clip(Tensor& gradient, double limit) {
  const double length = norm(gradient);
  if (length > limit) array(gradient) *= limit / length;
}

Tensor& remembered(OptimizerMemory& memory, const std::string& name, std::int64_t size) {
  const auto found = memory.tensors.find(name);
  if (found != memory.tensors.end()) return found->second;
  return memory.tensors[name] = zeros({size});
}

}  // namespace pinn
