#pragma once
#include "solvers/residual/part.h"

namespace pinn {

/// A compiled part whose points stay on a GPU: a step is one captured graph, begun by prepare and
/// waited for by run. options.cache is there.
std::unique_ptr<LossPart> gpu_part(PartOptions options);

}  // namespace pinn
