#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "autograd/tape/save_on.h"
#include "autograd/taylor/jet.h"

namespace pinn {

/// The layer that adds its bias to h W, without an activation: parameters `at` and `at` + 1.
inline Jet dense(const Jet& h, const std::vector<Tensor>& parameters, std::size_t at) {
  return {h.table, linear(h.data, parameters[at], parameters[at + 1])};
}

/// Steps 0 ... count - 1 one after the other: step(l, h) makes of what step l - 1 gave what step
/// l + 1 is given. So many at a time save their input alone, and are computed again by the backward
/// pass; 0: all save what they need.
template <class Step> Jet in_turn(Jet h, std::size_t count, int per_checkpoint, const Step& step) {
  const auto through = [step](Jet x, std::size_t first, std::size_t last) {
    for (std::size_t l = first; l < last; ++l) x = step(l, x);
    return x;
  };
  if (per_checkpoint <= 0) return through(h, 0, count);
  for (std::size_t first = 0, last; first < count; first = last) {
    last = std::min(count, first + std::size_t(per_checkpoint));
    h.data = checkpoint(
        [through, table = h.table, first, last](const std::vector<Tensor>& in) {
          return through({table, in[0]}, first, last).data;
        },
        {h.data});
  }
  return h;
}

}  // namespace pinn
