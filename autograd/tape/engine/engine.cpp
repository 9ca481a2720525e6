#include "autograd/tape/engine.h"

#include <algorithm>
#include <unordered_set>

#include "autograd/core/error.h"
#include "autograd/core/stats.h"
#include "autograd/tape/batch.h"
#include "autograd/tape/body.h"
#include "autograd/tape/engine/node_hooks.h"
#include "autograd/tape/engine/task.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/primitives/kernels.h"
#include "autograd/tape/rules.h"

namespace pinn {
namespace {

constinit thread_local Task* innermost = nullptr;
constinit thread_local int depth = 0;

[[noreturn]] void fail(const std::string& what, const std::string& where, const std::string& fix) {
  throw EngineError({what, where, fix});
}

/// The seed of one output, checked: 1 when missing.
Tensor seed_for(const std::vector<Tensor>& outputs, const std::vector<Tensor>& seeds,
                std::size_t i) {
  const Tensor& output = outputs[i];
  if (!output.requires_grad())
    fail("output " + std::to_string(i) + " does not require grad and has no history",
         describe(output), "make one of the tensors it comes from require a gradient");
  if (seeds.empty() || !seeds[i].defined()) {
    if (output.numel() != 1 || !is_floating(output.dtype()))
      fail("a seed can be created implicitly only for scalar outputs", describe(output),
           "pass seeds, or sum() the output first");
    return full(output.shape(), 1, output.dtype(), output.device());
  }
  if (!(seeds[i].shape() == output.shape()))
    fail("Mismatch in shape: seed " + std::to_string(i) + " has a shape of " +
             to_string(seeds[i].shape()) + " and output " + std::to_string(i) + " has a shape of " +
             to_string(output.shape()),
         "", "give a seed of exactly the output's shape");
  const Tensor seed = seeds[i].is_number() ? seeds[i].to(output.device()) : seeds[i];
  kernels::common_device("the seed of a gradient", {&output, &seed});
  return cast(seed, output.dtype());
}

/// Each of these tensors once: named twice, an input still has one gradient.
std::vector<Tensor> distinct(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> once;
  std::unordered_set<const TensorBody*> seen;
  for (const Tensor& t : tensors)
    if (seen.insert(t.body()).second) once.push_back(t);
  return once;
}

Tensor without_history(const Tensor& t) {
  const Tensor plain = t.detach();
  share_tangent(t, plain);
  return plain;
}

std::vector<Seed> seeds_for(const std::vector<Tensor>& outputs, const std::vector<Tensor>& seeds,
                            bool create_graph) {
  if (outputs.empty()) fail("there is no output to differentiate", "", "name at least one");
  if (!seeds.empty() && seeds.size() != outputs.size())
    fail(std::to_string(outputs.size()) + " outputs but " + std::to_string(seeds.size()) + " seeds",
         "", "give one seed per output, undefined ones where 1 is meant");
  std::vector<Seed> all;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor seed = seed_for(outputs, seeds, i);
    all.push_back({edge_of(outputs[i]), create_graph ? seed : without_history(seed)});
  }
  return all;
}

std::vector<Edge> targets_for(const std::vector<Tensor>& inputs) {
  std::vector<Edge> targets;
  for (const Tensor& input : inputs) {
    if (!input.requires_grad())
      fail("one of the differentiated tensors does not require grad", describe(input),
           "call set_requires_grad() before the tensor is used");
    targets.push_back(edge_of(input));
  }
  return targets;
}

/// Runs a task on this thread, with the recording mode it asks for.
std::vector<Tensor> run(Task& task) {
  if (depth == most_nested_passes)
    fail("re-entrant depth limit: " + std::to_string(most_nested_passes) +
             " backward passes run in each other",
         "", "let formulas and hooks that call backward() or grad() end somewhere");
  const WithoutNode aside(innermost);  // whose formula or hook runs this pass
  struct Scope {
    explicit Scope(Task* t) : before(std::exchange(innermost, t)) { ++depth; }
    ~Scope() {
      innermost = before;
      --depth;
    }
    Task* before;
  } const scope(&task);
  const RecordingGuard mode(task.create_graph());
  return task.run();
}

}  // namespace

Task* current_task() { return innermost; }

EngineSwitches& engine_switches() {
  static thread_local EngineSwitches switches;
  return switches;
}

bool Node::wanted(int i) const {
  if (i < 0 || std::size_t(i) >= edges_.size())
    throw InternalError({"node '" + std::string(name()) + "' asked for its input " +
                             std::to_string(i) + " of " + std::to_string(edges_.size()),
                         "Node::wanted", "ask for inputs the node has edges for"});
  if (!edges_[std::size_t(i)].node) return false;
  return !innermost || innermost->wants(*this, i);
}

std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& seeds, const GradOptions& options) {
  if (options.batched) return batched_grad(outputs, inputs, seeds, options);
  if (options.materialize && options.allow_unused == false)
    fail("materialize asks for zeros where allow_unused = false asks for an error", "",
         "leave allow_unused out");
  if (inputs.empty())
    fail("grad() requires non-empty inputs", "", "name the tensors to differentiate by");
  Task task(options.retain_graph.value_or(options.create_graph), options.create_graph);
  task.seed(seeds_for(outputs, seeds, options.create_graph));
  task.aim(targets_for(inputs));
  std::vector<Tensor> results = run(task);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].defined()) continue;
    if (options.materialize)
      results[i] = zeros_like(inputs[i]).set_requires_grad(options.create_graph);
    else if (!options.allow_unused.value_or(false))
      fail("input " + std::to_string(i) +
               " is not connected to the outputs: the derivative is "
               "identically zero",
           describe(inputs[i]),
           "set allow_unused for an undefined gradient, or materialize for zeros");
  }
  return results;
}

void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& seeds,
              const GradOptions& options, const std::optional<std::vector<Tensor>>& inputs) {
  if (options.create_graph)
    warn(
        "backward() with create_graph: a leaf now owns its gradient, and the gradient's graph may "
        "own the leaf; clear it with set_grad({}) when done, or use grad()");
  if (inputs && inputs->empty())
    fail("the inputs of backward() cannot be empty", "", "leave them out to reach every leaf");
  Task task(options.retain_graph.value_or(options.create_graph), options.create_graph);
  task.seed(seeds_for(outputs, seeds, options.create_graph));
  const std::vector<Tensor> targets = inputs ? distinct(*inputs) : std::vector<Tensor>();
  if (inputs) task.aim(targets_for(targets));
  const std::vector<Tensor> results = run(task);
  const RecordingGuard mode(options.create_graph);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].defined() && !targets[i].body()->retains_grad)  // or its hook has done it
      accumulate(targets[i], results[i]);
}

}  // namespace pinn
