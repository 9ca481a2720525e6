#pragma once
#include "autograd/ops/series.h"

namespace pinn::test {

/// f(x), f'(x), ..., f^(M)(x) of a unary op, at a number or a vector of numbers.
template <class Op, int M, class T> void derivatives(T x, T (&out)[M + 1], double parameter = 0) {
  const auto v = apply<Op>(Series<T, M>::line(x), parameter);
  double factorial = 1;
  for (int m = 0; m <= M; ++m) {
    if (m > 1) factorial *= m;
    out[m] = T(factorial) * v.c[m];
  }
}

}  // namespace pinn::test
