#pragma once
#include <string_view>

#include "autograd/ops/list.h"
#include "autograd/ops/unary_activation.h"
#include "autograd/ops/unary_elementary.h"

/// Functions of one number. An op is two formulas and little else:
///
///   name, says        in the PDE language, and the line of the manual on f(a)
///   value(x)          y = f(x); called with numbers and vectors of numbers
///   slope(x, y)       f'(x); may use y = f(x) where that saves work
///   uses_x, uses_y    which of the two slope reads; nothing else is saved for the reverse sweep
///   from, to          the interval where the tests look
///   linear, flat      slope is a constant, or 0
///   selects           value is x, -x or 0, as the sign of x says; gradients are masked by slope
///   partial           value is for x > 0, or x != 0, alone
///   has_parameter     value(x, p) and slope(x, y, p) with a number p (only power)
///
/// Both are templates over the number type. With float or double they are the body of the CPU loop
/// and of the CUDA kernel. With Tensor slope records on the tape, so a derivative is itself an
/// expression and can be differentiated again, to any order; with Series (series.h) it gives f',
/// f'', f''' ... at a point. So slope has no branches and no comparisons: only + - * /, T(literal)
/// and functions named like ops.
///
/// To add an op, write its struct and put it in Unary below. The kernels, the derivative rules, the
/// PDE language and the tests all read that list.
namespace pinn {

using Unary =
    List<op::Neg, op::Square, op::Recip, op::Power, op::Sqrt, op::Exp, op::Log, op::Sin, op::Cos,
         op::Tan, op::Atan, op::Sinh, op::Cosh, op::Gaussian, op::Erf, op::Sech2, op::Tanh,
         op::Sigmoid, op::Softplus, op::Silu, op::Gelu, op::Step, op::Sign, op::Relu, op::Abs>;

/// The number of an op, for tables and files of this version: its position in Unary.
template <class Op>
requires(position<Op>(Unary{}) >= 0) inline constexpr int unary_id = position<Op>(Unary{});

/// The number of the op called `name`, -1 when there is none.
constexpr int find_unary(std::string_view name) { return find(Unary{}, name); }
constexpr std::string_view unary_name(int id) { return Unary::names.at(id); }

/// True if a network can use the op between its layers: bent, and made for whatever comes.
template <class Op>
inline constexpr bool activates = !(Op::linear || Op::flat || Op::has_parameter || Op::partial);

/// True where the op has a value at 0 and an infinite slope: sqrt, and x^p for p > 0 that are not
/// whole.
template <class Op> constexpr bool is_root(double parameter) {
  if (Op::has_parameter) return parameter > 0 && parameter < 64 && int(parameter) != parameter;
  return unary_id<Op> == unary_id<op::Sqrt>;
}

/// f.operator()<Op>() for the op with this number.
template <class F> constexpr decltype(auto) visit_unary(int id, F&& f) {
  return visit(Unary{}, id, f);
}

}  // namespace pinn
