#pragma once
#include <cstddef>
#include <vector>

namespace pinn {

/// get(0) += get(1) ... get(count - 1), arrays of one length, along a fixed binary tree: the bits
/// of the sum do not depend on who made the parts, or when.
template <class Get> void tree_sum(std::size_t count, Get&& get) {
  for (std::size_t step = 1; step < count; step *= 2)
    for (std::size_t i = 0; i + step < count; i += 2 * step) {
      std::vector<double>& into = get(i);
      const std::vector<double>& from = get(i + step);
      for (std::size_t k = 0; k < into.size(); ++k) into[k] += from[k];
    }
}

}  // namespace pinn
