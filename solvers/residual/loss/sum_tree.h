#pragma once
#include <memory>
#include <span>

#include "autograd/compile.h"
#include "solvers/residual/loss/reduction.h"

namespace pinn {

/// Work of one rank, `own`, on its GPU for the sums that a reduction would come to, bit for bit:
/// blocks of `block` points, and fewer at the end, are summed at once, and rank r has tasks
/// first[r] ... first[r + 1] - 1.
std::shared_ptr<const SumTree> sum_tree(const Reduction& reduction, std::span<const int> first,
                                        std::size_t own, std::size_t block, std::size_t points);

}  // namespace pinn
