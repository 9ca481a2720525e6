#pragma once
#include <array>

#include "autograd/cpu/block_vector.h"

/// Included by the kernels of block jets only.
namespace pinn::cpu {

/// f(l) for l = 0 ... n - 1. Vectors that go through a chain of operations side by side keep the
/// units busy, which one alone leaves waiting.
template <int n, class F> [[gnu::always_inline]] inline void side_by_side(F&& f) {
#pragma GCC unroll 8
  for (int l = 0; l < n; ++l) f(l);
}

/// y = c_0 + c_1 x + c_2 x^2 + ... at n vectors. Terms go in pairs, which wait for each other half
/// as long.
template <class T, std::size_t terms, int n>
[[gnu::always_inline]] inline void polynomial(const std::array<double, terms>& c,
                                              const Vec<T> (&x)[n], Vec<T> (&y)[n]) {
  Vec<T> x2[n];
  const auto pair = [&](int l, int i) { return fma(Vec<T>(c[i + 1]), x[l], Vec<T>(c[i])); };
  side_by_side<n>([&](int l) {
    x2[l] = x[l] * x[l];
    y[l] = terms % 2 == 1 ? Vec<T>(c[terms - 1]) : pair(l, int(terms) - 2);
  });
#pragma GCC unroll 16
  for (int i = (int(terms) - 3) / 2 * 2; i >= 0; i -= 2)
    side_by_side<n>([&](int l) { y[l] = fma(y[l], x2[l], pair(l, i)); });
}

}  // namespace pinn::cpu
