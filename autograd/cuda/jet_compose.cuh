#pragma once
#include "autograd/cuda/jet_compose.h"
#include "autograd/cuda/launch.cuh"
#include "autograd/ops/series.h"
#include "autograd/ops/unary.h"

/// Included only by jet_compose_*.cu.
namespace pinn::cuda {

/// f^(k)(h) = sum_m f^(k+m)(h_0) n^m / m! with the nilpotent n = h - h_0; a thread has one feature
/// of one point at a time.
template <class Op, class T, int M> struct Compose {
  Composition<T> c;

  HD void operator()(std::int64_t slot) const {
    for (std::int64_t e = slot; e < c.count; e += c.slots) element(e, slot);
  }

 private:
  HD void element(std::int64_t e, std::int64_t slot) const {
    const std::int64_t start = e / c.features * c.channels * c.features + e % c.features;
    const T* h = c.h + start;
    T* y = c.y + start;
    const auto series = apply<Op>(Series<T, M>::line(h[0]), c.parameter);
    const int degree = series.degree - c.k, top = degree < c.order ? degree : c.order;
    y[0] = coefficient(series.c, 0);
    const T slope = top >= 1 ? coefficient(series.c, 1) : T(0);
    for (int i = 1; i < c.channels; ++i) y[i * c.features] = slope * h[i * c.features];
    T* power = c.work + slot;
    T* next = power + c.channels * c.slots;
    for (int m = 2; m <= top; ++m) {
      const T a = coefficient(series.c, m);
      T sum = T(0);
      for (int t = c.begins[m - 1]; t < c.begins[m]; ++t) {
        const Term& term = c.terms[t];
        const T before = m == 2 ? h[term.i * c.features] : power[term.i * c.slots];
        sum = sum + T(term.weight) * (before * h[term.j * c.features]);
        if (!term.ends) continue;
        next[term.k * c.slots] = sum;
        y[term.k * c.features] = y[term.k * c.features] + a * sum;
        sum = T(0);
      }
      T* const swapped = power;
      power = next;
      next = swapped;
    }
  }

  /// f^(k+m)(h_0) / m!
  HD T coefficient(const T (&series)[M + 1], int m) const {
    double factor = 1;  // (k + m)! / m!
    for (int i = m + 1; i <= m + c.k; ++i) factor *= i;
    return T(factor) * series[c.k + m];
  }
};

template <int M, class T> void compose_up_to(Gpu& gpu, int op, const Composition<T>& composition) {
  visit_unary(
      op, [&]<class Op>() { for_each(gpu, composition.slots, Compose<Op, T, M>{composition}); });
}

template <class T> void compose(Gpu& gpu, int op, const Composition<T>& composition) {
  const int highest = composition.k + composition.order;
  if (highest <= 2) return compose_up_to<2>(gpu, op, composition);
  if (highest <= 4) return compose_up_to<4>(gpu, op, composition);
  compose_up_to<max_derivative>(gpu, op, composition);
}

}  // namespace pinn::cuda
