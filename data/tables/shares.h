#pragma once
#include <array>

#include "autograd/ops/number.h"
#include "data/tables/axis.h"

namespace pinn {

/// Weights of the value and, of a cubic, the slope at both ends of a cell: [end][value or slope].
template <class X> using Shares = std::array<std::array<X, 2>, 2>;

/// Those for a place s of the way through a cell of length h, and a derivative of that order; of a
/// cubic these are Hermite's and their derivatives.
template <class X> Shares<X> shares_of(Interpolation interpolation, X s, X h, int order) {
  using op::select;
  const X zero = X(0), one = X(1), two = X(2), three = X(3), six = X(6), rest = one - s;
  if (interpolation == Interpolation::nearest) {
    const X lower = order > 0 ? zero : select(s < X(0.5), one, zero);
    return {{{lower, zero}, {order > 0 ? zero : one - lower, zero}}};
  }
  if (interpolation == Interpolation::linear) {
    const X slope = order == 1 ? one / h : zero;
    return {{{order == 0 ? rest : -slope, zero}, {order == 0 ? s : slope, zero}}};
  }
  switch (order) {
    case 0:
      return {{{(one + two * s) * rest * rest, h * s * rest * rest},
               {s * s * (three - two * s), h * s * s * (s - one)}}};
    case 1:
      return {{{six * s * (s - one) / h, rest * (one - three * s)},
               {six * s * rest / h, s * (three * s - two)}}};
    case 2:
      return {{{(X(12) * s - six) / (h * h), (six * s - X(4)) / h},
               {(six - X(12) * s) / (h * h), (six * s - two) / h}}};
    case 3:
      return {{{X(12) / (h * h * h), six / (h * h)}, {X(-12) / (h * h * h), six / (h * h)}}};
    default:
      return {{{zero, zero}, {zero, zero}}};
  }
}

}  // namespace pinn
