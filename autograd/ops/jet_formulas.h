#pragma once
#include <utility>
#include <vector>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/jet_compose.h"
#include "autograd/ops/jet_table.h"
#include "autograd/ops/series.h"

/// Functions and products of jets, channel by channel, for number types that are no numbers yet:
/// applied to them, the formulas write down how the numbers are to be computed.
namespace pinn {

/// f's Taylor coefficients 0 ... M at x.
template <int M, Number X> std::vector<X> series_of(const Elementwise& f, const X& x) {
  std::vector<X> c;
  visit_unary(f.op, [&]<class Op>() {
    const auto s = apply<Op>(Series<X, M>::line(x), f.parameter);
    c.assign(s.c, s.c + M + 1);
  });
  return c;
}
/// Errors: EngineError where `highest` is more than max_derivative.
template <Number X> std::vector<X> series_of(int highest, const Elementwise& f, const X& x) {
  must_have_derivative(f.op, highest);
  std::vector<X> c;
  [&]<int... M>(std::integer_sequence<int, M...>) {
    ((M == highest ? void(c = series_of<M>(f, x)) : void()), ...);
  }
  (std::make_integer_sequence<int, max_derivative + 1>{});
  return c;
}

/// The jet f^(k)(h).
template <Number X>
std::vector<X> jet_of(const Elementwise& f, int k, const JetTable& table, const std::vector<X>& h) {
  const std::vector<X> c = series_of(k + (table.order() > 1 ? table.order() : 1), f, h[0]);
  const auto coefficient = [&](int m) {
    return weighted(series_factor(k, m), c[std::size_t(k + m)]);
  };
  const auto powers = [&](int m) -> const auto& { return table.power(m).terms; };
  std::vector<X> y(h.size()), work = y, next = y;
  compose_jet(table.size(), table.order(), coefficient, powers, h.data(), work.data(), next.data(),
              y.data());
  return y;
}

/// The jet a b.
template <Number X>
std::vector<X> product_of(const JetTable& table, const std::vector<X>& a, const std::vector<X>& b) {
  std::vector<X> y(a.size());
  multiply_jets(table.terms(), a, b, [&](int k, const X& sum) { y[std::size_t(k)] = sum; });
  return y;
}

}  // namespace pinn
