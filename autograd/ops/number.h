#pragma once
#include "autograd/core/host_device.h"

namespace pinn {

/// Types that `value` computes with at once: float, double and (autograd/cpu/vectors/vector.h)
/// vectors of them.
template <class T> inline constexpr bool is_number = false;
template <> inline constexpr bool is_number<float> = true;
template <> inline constexpr bool is_number<double> = true;

template <class T>
concept Number = is_number<T>;

/// Functions that the formulas of ops call. Those of numbers are named here, those of vectors,
/// series and tensors are found where their types live.
namespace op {

using math::abs, math::sqrt, math::exp, math::log, math::log1p;
using math::atan, math::cos, math::sin, math::tan;
using math::atan2, math::cosh, math::erf, math::pow, math::sinh, math::tanh;

/// a where the condition holds, b elsewhere. Vectors have their own, with a mask.
template <class T> HD T select(bool condition, T a, T b) { return condition ? a : b; }

/// g m, and 0 where m is 0, whatever g is: what a mask leaves out does not count.
template <Number T> HD T masked(T g, T m) { return select(m == T(0), T(0), g * m); }

/// Flags of an op unless it says otherwise.
struct Flags {
  static constexpr bool uses_x = true, uses_y = false;  ///< what slope reads: all that is saved
  static constexpr bool linear = false;                 ///< value is linear, slope a constant
  static constexpr bool flat = false;                   ///< piecewise constant: slope is 0
  static constexpr bool selects = false;                ///< value is x or -x or 0
  static constexpr bool has_parameter = false;          ///< value(x, p) and slope(x, y, p)
  static constexpr bool partial = false;                ///< for x > 0, or x != 0
};

}  // namespace op

/// value and slope with the parameter an op may or may not have.
template <class Op, class T> HD T value_of(T x, double parameter = 0) {
  if constexpr (Op::has_parameter)
    return Op::value(x, parameter);
  else
    return Op::value(x);
}
template <class Op, class T> HD T slope_of(T x, T y, double parameter = 0) {
  if constexpr (Op::has_parameter)
    return Op::slope(x, y, parameter);
  else
    return Op::slope(x, y);
}

/// True where the slope says which part of x counts, or that none does: a gradient is masked by it,
/// so that an infinity or NaN behind a part that was left out stays there.
template <class Op> HD constexpr bool masks(double parameter = 0) {
  return Op::selects || Op::flat || (Op::has_parameter && parameter == 0);
}
/// slope g, or g masked by the slope.
template <class Op, class T> HD T pullback_of(T x, T y, T g, double parameter = 0) {
  const T slope = slope_of<Op>(x, y, parameter);
  if (masks<Op>(parameter)) return op::masked(g, slope);
  return slope * g;
}

}  // namespace pinn
