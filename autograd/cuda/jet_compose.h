#pragma once
#include <cstdint>

#include "autograd/cuda/gpu.h"

namespace pinn::cuda {

/// An entry of a list of products that is sorted by k; the last one of its k ends a sum.
struct Term {
  int i, j, k;
  int ends;
  double weight;
};

/// What the threads that compose a function with jets are given.
template <class T> struct Composition {
  double parameter;
  int k;                ///< f^(k) is wanted
  int channels, order;  ///< of the table
  const Term* terms;    ///< of the powers n^2 ... n^order, one after another
  const int* begins;    ///< [order + 1]: those of n^m are begins[m - 1] ... begins[m] - 1, m >= 2
  std::int64_t count, features;  ///< points times features; features
  std::int64_t slots;            ///< threads that run; each has a column of work
  const T* h;
  T* y;
  T* work;  ///< [2, channels, slots]
};

/// The highest derivative of an op that a jet can ask for, as on the CPU.
inline constexpr int max_derivative = 7;

/// Begins the kernel of an op. The kernels are many, so each dtype is a file of its own.
template <class T> void compose(Gpu& gpu, int op, const Composition<T>& composition);

}  // namespace pinn::cuda
