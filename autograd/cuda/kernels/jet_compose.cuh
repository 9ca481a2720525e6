#pragma once
#include <cstdint>

#include "autograd/cuda/kernels/launch.cuh"
#include "autograd/ops/jet_compose.h"
#include "autograd/ops/jet_table.h"
#include "autograd/ops/series.h"
#include "autograd/ops/unary.h"

/// Functions of jets, by threads that have one feature of one point at a time.
namespace pinn::cuda {

/// A term of a table without padding: what is constant is kept on the device by its bytes.
struct Term {
  int i, j, k, none;
  double weight;
};

/// A list of terms on the device.
struct Terms {
  const Term *first, *last;
  HD const Term* begin() const { return first; }
  HD const Term* end() const { return last; }
};

/// The channels of a jet, so many numbers apart.
template <class T> struct Column {
  T* first;
  std::int64_t apart;
  HD Column(T* first, std::int64_t apart) : first(first), apart(apart) {}
  template <class U> HD Column(const Column<U>& c) : Column(c.first, c.apart) {}
  HD T& operator[](int channel) const { return first[channel * apart]; }
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

/// y = f^(k)(h).
template <class Op, class T, int M> struct Compose {
  Composition<T> c;

  HD void operator()(std::int64_t slot) const {
    for (std::int64_t e = slot; e < c.count; e += c.slots) element(e, slot);
  }

 private:
  HD void element(std::int64_t e, std::int64_t slot) const {
    const std::int64_t start = e / c.features * c.channels * c.features + e % c.features;
    const Column<const T> h{c.h + start, c.features};
    const auto series = apply<Op>(Series<T, M>::line(h[0]), c.parameter);
    const int degree = series.degree - c.k;
    const Column<T> work{c.work + slot, c.slots};
    compose_jet(
        c.channels, degree < c.order ? degree : c.order,
        [&](int m) { return T(series_factor(c.k, m)) * series.c[c.k + m]; },
        [&](int m) {
          return Terms{c.terms + c.begins[m - 1], c.terms + c.begins[m]};
        },
        h, work, Column<T>{&work[c.channels], c.slots}, Column<T>{c.y + start, c.features});
  }
};

template <int M, class T> void compose_up_to(Gpu& gpu, int op, const Composition<T>& composition) {
  visit_unary(
      op, [&]<class Op>() { for_each(gpu, composition.slots, Compose<Op, T, M>{composition}); });
}

/// Begins the kernel of an op. The kernels are many, so each dtype is a file of its own.
template <class T> void compose(Gpu& gpu, int op, const Composition<T>& composition) {
  const int highest = composition.k + composition.order;
  if (highest <= 4) return compose_up_to<4>(gpu, op, composition);
  compose_up_to<max_derivative>(gpu, op, composition);
}
extern template void compose<float>(Gpu&, int, const Composition<float>&);
extern template void compose<double>(Gpu&, int, const Composition<double>&);

}  // namespace pinn::cuda
