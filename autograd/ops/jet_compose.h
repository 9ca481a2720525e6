#pragma once
#include "autograd/core/host_device.h"

/// Products and functions of jets, spelled once: for vectors of numbers (the loops of a CPU), for
/// numbers (the threads of a GPU) and for the text of kernels that are built while the program
/// runs. A jet is what gives its channels by []; X is the type of a channel. Numbers know how to do
/// what follows; other types bring their own functions of these names.
namespace pinn {

/// w a
template <class X> HD X weighted(double w, X a) { return X(w) * a; }
/// a b + c
template <class X> HD X multiply_add(X a, X b, X c) { return a * b + c; }
/// a, which is used more than once from here on
template <class X> HD X kept(X a) { return a; }

/// put(k, sum_{i,j} w[i,j,k] a_i b_j) for every k that has terms {i, j, k, weight}, sorted by k:
/// those of JetTable. With its transposed terms, and ybar and f^(k+1)(h) as a and b, this is the
/// reverse sweep of f^(k)(h).
template <class Terms, class A, class B, class Put>
HD void multiply_jets(const Terms& terms, const A& a, const B& b, Put&& put) {
  for (auto t = terms.begin(), end = terms.end(); t != end;) {
    const int k = t->k;
    auto sum = weighted(t->weight, a[t->i]) * b[t->j];
    for (++t; t != end && t->k == k; ++t)
      sum = multiply_add(weighted(t->weight, a[t->i]), b[t->j], sum);
    put(k, sum);
  }
}

/// (k + m)! / m!: times coefficient k + m of the Taylor series of f this is f^(k+m) / m!.
HD constexpr double series_factor(int k, int m) {
  double factor = 1;
  for (int i = m + 1; i <= m + k; ++i) factor *= i;
  return factor;
}

/// y = sum_m c_m n^m for m = 0 ... top, with the nilpotent n = h - h_0: the jet f(h) where
/// c_m = f^(m)(h_0) / m! (Faa di Bruno's formula, by the table of products).
///
///   coefficient   c_m of m
///   powers        the terms of n^m = n^(m-1) n, of m >= 2
///   work, next    places for a jet each
template <class Coefficient, class Powers, class H, class Work, class Y>
HD void compose_jet(int channels, int top, const Coefficient& coefficient, const Powers& powers,
                    const H& h, Work work, Work next, Y y) {
  using X = decltype(coefficient(0));
  y[0] = coefficient(0);
  if (channels == 1) return;
  const X slope = top >= 1 ? coefficient(1) : X{};
  for (int i = 1; i < channels; ++i) y[i] = slope * h[i];
  H before = h;
  for (int m = 2; m <= top; ++m) {
    const X c = coefficient(m);
    multiply_jets(powers(m), before, h, [&](int k, const X& sum) {
      const X power = kept(sum);
      next[k] = power;
      y[k] = multiply_add(c, power, y[k]);
    });
    before = next;
    const Work made = next;
    next = work;
    work = made;
  }
}

}  // namespace pinn
