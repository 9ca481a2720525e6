#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>

namespace pinn::cuda {

/// Sizes of blocks that are kept for reuse: eight steps per power of two, so that a block fits its
/// successors and at most an eighth of it lies idle.
inline std::size_t block_size(std::size_t bytes, std::size_t smallest) {
  if (bytes <= smallest) return smallest;
  const std::size_t step = std::max(std::bit_floor(bytes - 1) / 8, smallest);
  return (bytes + step - 1) / step * step;
}

}  // namespace pinn::cuda
