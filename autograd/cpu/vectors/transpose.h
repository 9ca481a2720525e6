#pragma once
#include <utility>

#include "autograd/cpu/vectors/vector.h"

namespace pinn::cpu {

/// Transposes the square of as many vectors as one has numbers. First `half` is half of that: in
/// every square of twice as many numbers, two of its quarters change places.
template <int half, class T> [[gnu::always_inline]] inline void transpose(Vec<T>* v) {
  constexpr int n = Vec<T>::size;
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i) {
    if ((i & half) != 0) continue;
    const Vec<T> a = v[i], b = v[i + half];
    [&]<int... l>(std::integer_sequence<int, l...>) {
      v[i] = __builtin_shufflevector(a.v, b.v, ((l & half) == 0 ? l : n + l - half)...);
      v[i + half] = __builtin_shufflevector(a.v, b.v, ((l & half) == 0 ? l + half : n + l)...);
    }
    (std::make_integer_sequence<int, n>{});
  }
  if constexpr (half > 1) transpose<half / 2>(v);
}

}  // namespace pinn::cpu
