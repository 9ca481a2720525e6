#pragma once
#include <functional>

#include "autograd/tape/tensor.h"

namespace pinn {

/// function(inputs), of which the inputs alone are saved: what else the backward pass needs is
/// computed again, all at once when the first of it is read, and let go as its nodes have run or
/// the pass is over.
///
/// The function runs once more per backward pass that needs it, and must do the same then. It may
/// capture tensors: parameters, say. All of grad(), create_graph, pruned passes and checkpoints
/// within checkpoints work as without; the gradients are the same to the last bit. Inputs are saved
/// as a node would, so that hooks around the checkpoint apply to them; those around it do not
/// apply to what is saved inside.
///
///   cost     one more forward pass of the function
///   errors   EngineError, from the backward pass, when the function does something else the second
///            time, or when an input or a captured leaf was changed in place since
///   source   Chen et al. 2016, Training deep nets with sublinear memory cost, arXiv:1604.06174
std::vector<Tensor> checkpoint(
    std::function<std::vector<Tensor>(const std::vector<Tensor>&)> function,
    const std::vector<Tensor>& inputs);
Tensor checkpoint(std::function<Tensor(const std::vector<Tensor>&)> function,
                  const std::vector<Tensor>& inputs);

}  // namespace pinn
