#pragma once
#include "autograd/ops/binary_functions.h"
#include "autograd/ops/unary_activation.h"

namespace pinn {

/// The numbers 0 ... n - 1 as a pack; std::integer_sequence is not there when kernels are built
/// while the program runs.
template <int... i> struct Indices {};

template <int n, int... i> HD constexpr auto indices() {
  if constexpr (n == 0)
    return Indices<i...>();
  else
    return indices<n - 1, n - 1, i...>();
}

/// x(s) = c_0 + c_1 s + ... + c_K s^K, a Taylor series cut off after s^K; c_k is the k-th
/// derivative over k!. Coefficients above `degree` are 0 and no work is spent on them: when all is
/// inlined the compiler knows the degrees, and a literal or a coordinate costs what it must.
///
///   source   Griewank, Walther, Evaluating Derivatives (2008), chapter 13
template <Number T, int K> struct Series {
  T c[K + 1] = {};
  int degree = 0;

  Series() = default;
  HD explicit constexpr Series(double constant) { c[0] = T(constant); }

  /// x + t s
  HD static constexpr Series line(T x, T t = T(1)) {
    Series a;
    a.c[0] = x;
    if constexpr (K > 0) {
      a.c[1] = t;
      a.degree = 1;
    }
    return a;
  }
};

/// The same series, cut off (or made longer with zeros) after s^L.
template <int L, class T, int K> HD Series<T, L> cut(const Series<T, K>& a) {
  constexpr int shared = L < K ? L : K;
  Series<T, L> b;
  b.degree = a.degree < shared ? a.degree : shared;
  [&]<int... k>(Indices<k...>) { ((b.c[k] = a.c[k]), ...); }
  (indices<shared + 1>());
  return b;
}

/// sum_j weight(j) a_j b_{k-j} for j = first ... k, over the terms that are not 0.
template <int k, int first, bool times_j, class T, int A, int B>
HD T convolve(const Series<T, A>& a, const Series<T, B>& b) {
  T sum = T(0);
  bool empty = true;
  [&]<int... i>(Indices<i...>) {
    const auto add = [&](int j, const T& aj, const T& b_rest) {
      if (j > a.degree || k - j > b.degree) return;
      const T term = (times_j && j > 1 ? T(j) * aj : aj) * b_rest;
      sum = empty ? term : sum + term;
      empty = false;
    };
    (add(first + i, a.c[first + i], b.c[k - first - i]), ...);
  }
  (indices<k - first + 1>());
  return sum;
}

template <class T, int K> HD Series<T, K> operator+(const Series<T, K>& a, const Series<T, K>& b) {
  Series<T, K> v;
  v.degree = a.degree > b.degree ? a.degree : b.degree;
  [&]<int... k>(Indices<k...>) {
    ((v.c[k] = k > b.degree ? a.c[k] : k > a.degree ? b.c[k] : a.c[k] + b.c[k]), ...);
  }
  (indices<K + 1>());
  return v;
}

template <class T, int K> HD Series<T, K> operator-(const Series<T, K>& a) {
  Series<T, K> v;
  v.degree = a.degree;
  [&]<int... k>(Indices<k...>) { ((v.c[k] = k > a.degree ? a.c[k] : -a.c[k]), ...); }
  (indices<K + 1>());
  return v;
}

template <class T, int K> HD Series<T, K> operator-(const Series<T, K>& a, const Series<T, K>& b) {
  return a + (-b);
}

template <class T, int K> HD Series<T, K> operator*(const Series<T, K>& a, const Series<T, K>& b) {
  Series<T, K> v;
  v.degree = a.degree + b.degree < K ? a.degree + b.degree : K;
  [&]<int... k>(Indices<k...>) { ((v.c[k] = convolve<k, 0, false>(a, b)), ...); }
  (indices<K + 1>());
  return v;
}

/// A series whose slope d is known: v_0 given, v_k = (1/k) sum_{j=1..k} j a_j d_{k-j}.
template <int from, class T, int K>
HD void integrate(const Series<T, K>& a, const Series<T, K - 1>& d, Series<T, K>& v) {
  [&]<int... i>(Indices<i...>) {
    ((v.c[from + i] = from + i == 1 ? convolve<from + i, 1, true>(a, d)
                                    : T(1.0 / (from + i)) * convolve<from + i, 1, true>(a, d)),
     ...);
  }
  (indices<K + 1 - from>());
  v.degree = a.degree + d.degree < K ? a.degree + d.degree : K;
  if (a.degree == 0) v.degree = 0;
}

/// f(x(s)) for an op of the list Unary, from its value and its slope alone. Ops with a kink take
/// the branch of x_0 for all coefficients, and at the kink what their slope says there.
template <class Op, class T, int K>
HD Series<T, K> apply(const Series<T, K>& a, double parameter = 0) {
  Series<T, K> v;
  v.c[0] = value_of<Op>(a.c[0], parameter);
  if constexpr (K > 0 && !Op::flat) {
    const auto low = cut<K - 1>(a);
    if constexpr (Op::uses_y) {
      const auto y = apply<Op>(low, parameter);
      v = cut<K>(y);
      integrate<K>(a, slope_of<Op>(low, y, parameter), v);
    } else {
      integrate<1>(a, slope_of<Op>(low, low, parameter), v);
    }
  }
  return v;
}

/// f(x(s), y(s)) for an op of the list Binary, from its value and its slopes alone. min and max
/// take all coefficients of the argument they choose, at a tie the mean of both.
template <class Op, class T, int K>
HD Series<T, K> apply(const Series<T, K>& a, const Series<T, K>& b) {
  Series<T, K> v;
  v.c[0] = Op::value(a.c[0], b.c[0]);
  if constexpr (Op::selecting) {
    using op::select;
    const T p = Op::slope_x(a.c[0], b.c[0], v.c[0]), half = T(0.5);
    v.degree = a.degree > b.degree ? a.degree : b.degree;
    for (int k = 1; k <= K; ++k)
      v.c[k] = select(half < p, a.c[k], select(p < half, b.c[k], p * (a.c[k] + b.c[k])));
  } else if constexpr (K > 0 && !Op::flat) {
    const auto x = cut<K - 1>(a), y = cut<K - 1>(b), z = apply<Op>(x, y);
    Series<T, K> by_x, by_y;
    integrate<K>(a, Op::slope_x(x, y, z), by_x);
    integrate<K>(b, Op::slope_y(x, y, z), by_y);
    v = cut<K>(z);
    v.c[K] = by_x.c[K] + by_y.c[K];
    v.degree = a.degree > 0 || b.degree > 0 ? K : 0;
  }
  return v;
}

template <class T, int K> HD Series<T, K> operator/(const Series<T, K>& a, const Series<T, K>& b) {
  return a * recip(b);
}

template <class S> inline constexpr bool is_series = false;
template <class T, int K> inline constexpr bool is_series<Series<T, K>> = true;
template <class S>
concept AnySeries = is_series<S>;

// Functions of series by name: what slopes call.
template <AnySeries S> HD S neg(const S& a) { return apply<op::Neg>(a); }
template <AnySeries S> HD S square(const S& a) { return apply<op::Square>(a); }
template <AnySeries S> HD S recip(const S& a) { return apply<op::Recip>(a); }
template <AnySeries S> HD S sqrt(const S& a) { return apply<op::Sqrt>(a); }
template <AnySeries S> HD S exp(const S& a) { return apply<op::Exp>(a); }
template <AnySeries S> HD S log(const S& a) { return apply<op::Log>(a); }
template <AnySeries S> HD S sin(const S& a) { return apply<op::Sin>(a); }
template <AnySeries S> HD S cos(const S& a) { return apply<op::Cos>(a); }
template <AnySeries S> HD S tan(const S& a) { return apply<op::Tan>(a); }
template <AnySeries S> HD S atan(const S& a) { return apply<op::Atan>(a); }
template <AnySeries S> HD S sinh(const S& a) { return apply<op::Sinh>(a); }
template <AnySeries S> HD S cosh(const S& a) { return apply<op::Cosh>(a); }
template <AnySeries S> HD S gaussian(const S& a) { return apply<op::Gaussian>(a); }
template <AnySeries S> HD S erf(const S& a) { return apply<op::Erf>(a); }
template <AnySeries S> HD S sech2(const S& a) { return apply<op::Sech2>(a); }
template <AnySeries S> HD S tanh(const S& a) { return apply<op::Tanh>(a); }
template <AnySeries S> HD S sigmoid(const S& a) { return apply<op::Sigmoid>(a); }
template <AnySeries S> HD S softplus(const S& a) { return apply<op::Softplus>(a); }
template <AnySeries S> HD S silu(const S& a) { return apply<op::Silu>(a); }
template <AnySeries S> HD S gelu(const S& a) { return apply<op::Gelu>(a); }
template <AnySeries S> HD S step(const S& a) { return apply<op::Step>(a); }
template <AnySeries S> HD S sign(const S& a) { return apply<op::Sign>(a); }
template <AnySeries S> HD S relu(const S& a) { return apply<op::Relu>(a); }
template <AnySeries S> HD S abs(const S& a) { return apply<op::Abs>(a); }
template <AnySeries S> HD S power(const S& a, double p) { return apply<op::Power>(a, p); }
template <AnySeries S> HD S pow(const S& a, const S& b) { return apply<op::Pow>(a, b); }
template <AnySeries S> HD S atan2(const S& a, const S& b) { return apply<op::Atan2>(a, b); }
template <AnySeries S> HD S min(const S& a, const S& b) { return apply<op::Min>(a, b); }
template <AnySeries S> HD S max(const S& a, const S& b) { return apply<op::Max>(a, b); }
template <AnySeries S> HD S masked(const S& a, const S& b) { return apply<op::Masked>(a, b); }
template <AnySeries S> HD S less(const S& a, const S& b) { return apply<op::Less>(a, b); }
template <AnySeries S> HD S less_equal(const S& a, const S& b) {
  return apply<op::LessEqual>(a, b);
}

}  // namespace pinn
