#include "autograd/tape/batched_grad.h"

#include "autograd/core/error.h"
#include "autograd/tape/batch.h"
#include "autograd/tape/forward_mode.h"

namespace pinn {
namespace {

/// How many seeds there are: all of them have that leading axis before their output's shape.
std::int64_t seed_count(const std::vector<Tensor>& outputs, const std::vector<Tensor>& seeds) {
  std::int64_t count = -1;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool has_axis = i < seeds.size() && seeds[i].defined() && seeds[i].rank() > 0;
    if (has_axis && count < 0) count = seeds[i].shape()[0];
    if (has_axis && outputs[i].rank() < max_rank &&
        seeds[i].shape() == outputs[i].shape().inserted(0, count))
      continue;
    throw EngineError(
        {"Mismatch in shape: batched seeds have one more axis than their outputs, a leading one "
         "that counts the seeds, the same for all",
         "seed " + std::to_string(i) + ": " + (i < seeds.size() ? describe(seeds[i]) : "missing") +
             ", output: " + describe(outputs[i]),
         "stack() the seeds along axis 0"});
  }
  return count;
}

}  // namespace

std::vector<Tensor> batched_grad(const std::vector<Tensor>& outputs,
                                 const std::vector<Tensor>& inputs,
                                 const std::vector<Tensor>& seeds, GradOptions options) {
  if (options.create_graph || dual_level_open())
    throw EngineError({"a batched grad() is not recorded and carries no tangents", "",
                       "call grad() for one seed after another"});
  const std::int64_t count = seed_count(outputs, seeds);
  std::vector<Tensor> together;
  for (const Tensor& s : seeds) together.push_back(batched(s.detach()));
  options.batched = false;
  std::vector<Tensor> gradients = grad(outputs, inputs, together, options);
  for (Tensor& g : gradients)
    if (g.defined()) g = members(g, count);
  return gradients;
}

}  // namespace pinn
