#include "solvers/optimize/methods/first_order.h"

#include "solvers/optimize/dense/vector.h"
#include "solvers/optimize/schedule.h"

namespace pinn {
namespace {

std::span<const double> values_of(const OptimizerMemory& memory, const std::string& name) {
  const auto found = memory.tensors.find(name);
  if (found == memory.tensors.end()) return {};
  return found->second.data<double>();
}

}  // namespace

void ByElement::step(Tensor& p, const Tensor& gradient, OptimizerMemory& memory,
                     ThreadPool*) const {
  const DescentMove numbers = rule_(options(), memory.moves);
  const ArrayMap g = array(gradient);
  ArrayMap x = array(p);
  numbers.move(g, x, [&](int k) { return array(memory.tensors.at(names_[std::size_t(k)])); });
}

std::map<std::string, Shape> ByElement::remembers(std::int64_t parameters) const {
  std::map<std::string, Shape> shapes;
  for (const std::string& name : names_) shapes[name] = {parameters};
  return shapes;
}

Moves ByElement::advance_many(Tensor& p, OptimizerMemory& memory, Objective& objective, long most,
                              double enough) const {
  Descent* const there = objective.descent();
  if (!there) return Optimizer::advance_many(p, memory, objective, most, enough);
  if (there->size() == 0) put(*there, p, memory);
  std::vector<DescentMove> asked;
  for (long k = 0; k < most; ++k) asked.push_back(rule_(options(), memory.moves + k));
  const Descent::Last last =
      there->run(asked, {options().clip, options().tolerance, enough}, p.data<double>());

  Moves moves{long(last.moves), {}};
  moves.last.loss = last.loss;
  judge(moves.last, last.largest);
  memory.moves += moves.count - 1;
  moves.last.rate = scheduled_rate(options(), memory.moves);
  if (moves.last.stopped.empty()) ++memory.moves;
  return moves;
}

void ByElement::put(Descent& there, const Tensor& p, const OptimizerMemory& memory) const {
  std::vector<std::span<const double>> memories;
  for (const std::string& name : names_) memories.push_back(values_of(memory, name));
  there.put(p.data<double>(), memories, values_of(memory, "previous"));
}

void ByElement::settle(OptimizerMemory& memory, Objective& objective) const {
  Descent* const there = objective.descent();
  if (!there || there->size() == 0 || memory.moves == 0) return;
  const Shape shape = {std::int64_t(there->size())};
  std::vector<std::span<double>> memories;
  for (const std::string& name : names_)
    memories.push_back(remembered(memory, name, shape).data<double>());
  there->read(memories, remembered(memory, "previous", shape).data<double>());
}

}  // namespace pinn
