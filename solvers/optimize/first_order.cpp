#include "solvers/optimize/first_order.h"

#include <fmt/format.h>

#include "solvers/optimize/memory.h"
#include "solvers/optimize/schedule.h"
#include "solvers/optimize/stop.h"
#include "solvers/optimize/vector.h"

namespace pinn {
namespace {

/// Judges where a move began, by its loss and the gradient's largest component.
void judge(Move& move, double largest, double tolerance) {
  move.stopped = not_finite(move.loss, largest);
  move.diverged = !move.stopped.empty();
  if (move.stopped.empty()) move.stopped = small_gradient(largest, tolerance);
}

std::span<const double> values_of(const OptimizerMemory& memory, const std::string& name) {
  const auto found = memory.tensors.find(name);
  if (found == memory.tensors.end()) return {};
  return found->second.data<double>();
}

}  // namespace

Move FirstOrder::advance(Tensor& p, OptimizerMemory& memory, Objective& objective) const {
  Move move;
  Tensor gradient = empty(p.shape());
  move.loss = objective.value_and_gradient(p, gradient);
  move.rate = scheduled_rate(options_, memory.moves);
  judge(move, largest(gradient), options_.tolerance);
  const auto previous = memory.tensors.find("previous");
  if (move.diverged && previous != memory.tensors.end()) array(p) = array(previous->second);
  if (!move.stopped.empty()) return move;

  array(remembered(memory, "previous", p.numel())) = array(p);
  if (options_.clip > 0) clip(gradient, options_.clip);
  step(p, gradient, memory);
  ++memory.moves;
  return move;
}

void FirstOrder::step(Tensor& p, const Tensor& gradient, OptimizerMemory& memory) const {
  const DescentMove numbers = rule_(options_, memory.moves);
  const ArrayMap g = array(gradient);
  ArrayMap x = array(p);
  numbers.move(g, x, [&](int k) { return array(remembered(memory, memories_[k], p.numel())); });
}

Moves FirstOrder::advance_many(Tensor& p, OptimizerMemory& memory, Objective& objective, long most,
                               double enough) const {
  Descent* const there = objective.descent();
  if (!there) return Optimizer::advance_many(p, memory, objective, most, enough);
  if (there->size() == 0) put(*there, p, memory);
  std::vector<DescentMove> asked;
  for (long k = 0; k < most; ++k) asked.push_back(rule_(options_, memory.moves + k));
  const Descent::Last last =
      there->run(asked, {options_.clip, options_.tolerance, enough}, p.data<double>());

  Moves moves{long(last.moves), {}};
  moves.last.loss = last.loss;
  judge(moves.last, last.largest, options_.tolerance);
  memory.moves += moves.count - 1;
  moves.last.rate = scheduled_rate(options_, memory.moves);
  if (moves.last.stopped.empty()) ++memory.moves;
  return moves;
}

void FirstOrder::put(Descent& there, const Tensor& p, const OptimizerMemory& memory) const {
  std::vector<std::span<const double>> memories;
  for (const std::string& name : memories_) memories.push_back(values_of(memory, name));
  there.put(p.data<double>(), memories, values_of(memory, "previous"));
}

void FirstOrder::settle(OptimizerMemory& memory, Objective& objective) const {
  Descent* const there = objective.descent();
  if (!there || there->size() == 0 || memory.moves == 0) return;
  const auto size = std::int64_t(there->size());
  std::vector<std::span<double>> memories;
  for (const std::string& name : memories_)
    memories.push_back(remembered(memory, name, size).data<double>());
  there->read(memories, remembered(memory, "previous", size).data<double>());
}

std::string FirstOrder::misfit(const OptimizerMemory& memory, std::int64_t parameters) const {
  std::map<std::string, Shape> known = {{"previous", {parameters}}};
  for (const std::string& name : memories_) known[name] = {parameters};
  if (memory.tensors.size() != (memory.moves > 0 ? known.size() : 0))
    return fmt::format("it has {} tensors after {} moves", memory.tensors.size(), memory.moves);
  return misfit_of(memory, known);
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
