#pragma once
#include "autograd/tape/engine.h"

namespace pinn {

/// grad() for many seeds at once: what GradOptions::batched asks for.
std::vector<Tensor> batched_grad(const std::vector<Tensor>& outputs,
                                 const std::vector<Tensor>& inputs,
                                 const std::vector<Tensor>& seeds, GradOptions options);

}  // namespace pinn
