#pragma once
#include <concepts>
#include <optional>

#include "autograd/tape/node.h"

namespace pinn {

// Braces are lists: grad({y}, {x}) takes lists and gives a list, however short; grad(y, x) takes
// two tensors and gives a tensor. A mixture of both does not compile.

/// How a backward pass treats the graph and what it finds.
struct GradOptions {
  bool create_graph = false;  ///< record the pass, so that gradients can be differentiated
  std::optional<bool> retain_graph = {};  ///< keep saved tensors; default: create_graph
  /// An input that does not matter gives an undefined gradient; default: materialize.
  std::optional<bool> allow_unused = {};
  bool materialize = false;  ///< ... gives zeros
  bool batched = false;      ///< grad() only: seeds and gradients have one more leading axis
};

/// d sum_i <seed_i, output_i> / d input_j, one tensor per input; no grad() of any tensor changes.
///
/// A missing or undefined seed is 1, for outputs of one element. Only nodes on a path from an
/// output to an input run, and of their formulas only those that lie on one. Batched, it does for
/// every seed what one call would, in one pass with as many matrix products as for one seed; it is
/// not recorded then, and tensors on the way have three axes at most. Errors: EngineError for
/// tensors without history, unused inputs, seeds that do not fit, empty lists.
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& seeds = {}, const GradOptions& options = {});
/// The same for one output and one input, neither in braces.
template <std::same_as<Tensor> Y, std::same_as<Tensor> X>
Tensor grad(const Y& output, const X& input, const GradOptions& options = {}) {
  return grad(std::vector<Tensor>{output}, {input}, {}, options)[0];
}

/// Adds the gradients of every leaf, or of `inputs` if given, to their grad(). A recorded gradient
/// refers to the graph and the graph to its leaf: clear it with set_grad({}) or neither is freed.
/// After an exception the gradients of leaves that were reached stay, and what nodes that ran had
/// saved stays freed.
void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& seeds = {},
              const GradOptions& options = {},
              const std::optional<std::vector<Tensor>>& inputs = std::nullopt);
/// The same for one output, without braces.
template <std::same_as<Tensor> Y> void backward(const Y& output, const GradOptions& options = {}) {
  backward(std::vector<Tensor>{output}, {}, options);
}

/// How many passes may run in each other, started by formulas or hooks. Each takes stack and the
/// lock of a node: sanitizers make frames several times larger, and follow 64 locks.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int most_nested_passes = 60;
#else
inline constexpr int most_nested_passes = 1000;
#endif

/// Turns edge pruning, or the bound on discovery, off: for measurements of what they save.
struct EngineSwitches {
  bool prune = true;
  bool bound_discovery = true;
};
EngineSwitches& engine_switches();

}  // namespace pinn
