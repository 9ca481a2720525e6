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

/// Lane i is a[i] + a[i + half] where the bit `half` of i is 0, and b[i] + b[i - half] where it is
/// 1: half of a's lanes summed with the other half, and b's.
template <int half, class T> Vec<T> merge(Vec<T> a, Vec<T> b) {
  return [&]<int... i>(std::integer_sequence<int, i...>) {
    constexpr int n = Vec<T>::size;
    const Vec<T> own = __builtin_shufflevector(a.v, b.v, ((i & half) == 0 ? i : n + i)...);
    const Vec<T> other =
        __builtin_shufflevector(a.v, b.v, ((i & half) == 0 ? i + half : n + i - half)...);
    return own + other;
  }
  (std::make_integer_sequence<int, Vec<T>::size>{});
}

/// From `width` vectors v one whose lane j of each group of `width` lanes is the sum of that group
/// of v[j].
template <int width, class T> [[gnu::always_inline]] inline Vec<T> sum_groups(const Vec<T>* v) {
  if constexpr (width == 1) {
    return v[0];
  } else {
    constexpr int half = width / 2;
    Vec<T> merged[half];
#pragma GCC unroll 16
    for (int i = 0; i < half; ++i) merged[i] = merge<half>(v[i], v[i + half]);
    return sum_groups<half>(merged);
  }
}

}  // namespace pinn::cpu
