#pragma once
#include <functional>
#include <limits>
#include <memory>

#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"
#include "autograd/tape/tensor.h"

/// Functions of tensors. All are recorded where an input requires a gradient, their derivatives are
/// made of the same functions, and so can be differentiated again. Shapes broadcast as in numpy.
///
/// Tensors that meet in an op have one dtype, and are refused where they have not: cast() one of
/// them. Only plain numbers give way: elementwise, 2.0 * x has the dtype of x.
namespace pinn {

/// A function of tensors.
using TensorFunction = std::function<Tensor(const std::vector<Tensor>&)>;

// ---- elementwise --------------------------------------------------------------------------------

/// The unary op with this id (autograd/ops/unary.h); `parameter` is power's exponent.
Tensor apply_unary(int id, const Tensor& x, double parameter = 0);
/// The binary op with this id (autograd/ops/binary.h).
Tensor apply_binary(int id, const Tensor& x, const Tensor& y);

template <class Op> Tensor apply(const Tensor& x, double parameter = 0) {
  return apply_unary(unary_id<Op>, x, parameter);
}
template <class Op> Tensor apply(const Tensor& x, const Tensor& y) {
  return apply_binary(binary_id<Op>, x, y);
}

inline Tensor operator+(const Tensor& x, const Tensor& y) { return apply<op::Add>(x, y); }
inline Tensor operator-(const Tensor& x, const Tensor& y) { return apply<op::Sub>(x, y); }
inline Tensor operator*(const Tensor& x, const Tensor& y) { return apply<op::Mul>(x, y); }
inline Tensor operator/(const Tensor& x, const Tensor& y) { return apply<op::Div>(x, y); }
inline Tensor operator-(const Tensor& x) { return apply<op::Neg>(x); }
inline Tensor pow(const Tensor& x, const Tensor& y) { return apply<op::Pow>(x, y); }
inline Tensor atan2(const Tensor& y, const Tensor& x) { return apply<op::Atan2>(y, x); }
inline Tensor min(const Tensor& x, const Tensor& y) { return apply<op::Min>(x, y); }
inline Tensor max(const Tensor& x, const Tensor& y) { return apply<op::Max>(x, y); }
/// g m, and 0 where m is 0, whatever g is.
inline Tensor masked(const Tensor& g, const Tensor& m) { return apply<op::Masked>(g, m); }
/// Comparisons give 1 or 0 in the dtype of x, without history.
inline Tensor less(const Tensor& x, const Tensor& y) { return apply<op::Less>(x, y); }
inline Tensor less_equal(const Tensor& x, const Tensor& y) { return apply<op::LessEqual>(x, y); }
inline Tensor greater(const Tensor& x, const Tensor& y) { return apply<op::Greater>(x, y); }
inline Tensor greater_equal(const Tensor& x, const Tensor& y) {
  return apply<op::GreaterEqual>(x, y);
}
inline Tensor equal(const Tensor& x, const Tensor& y) {
  return less_equal(x, y) * greater_equal(x, y);
}
inline Tensor not_equal(const Tensor& x, const Tensor& y) { return 1.0 - equal(x, y); }
inline Tensor operator<(const Tensor& x, const Tensor& y) { return less(x, y); }
inline Tensor operator<=(const Tensor& x, const Tensor& y) { return less_equal(x, y); }
inline Tensor operator>(const Tensor& x, const Tensor& y) { return greater(x, y); }
inline Tensor operator>=(const Tensor& x, const Tensor& y) { return greater_equal(x, y); }
inline Tensor operator==(const Tensor& x, const Tensor& y) { return equal(x, y); }
inline Tensor operator!=(const Tensor& x, const Tensor& y) { return not_equal(x, y); }

inline Tensor square(const Tensor& x) { return apply<op::Square>(x); }
inline Tensor recip(const Tensor& x) { return apply<op::Recip>(x); }
/// x^p for a number p.
inline Tensor power(const Tensor& x, double p) { return apply<op::Power>(x, p); }
inline Tensor sqrt(const Tensor& x) { return apply<op::Sqrt>(x); }
inline Tensor exp(const Tensor& x) { return apply<op::Exp>(x); }
inline Tensor log(const Tensor& x) { return apply<op::Log>(x); }
inline Tensor sin(const Tensor& x) { return apply<op::Sin>(x); }
inline Tensor cos(const Tensor& x) { return apply<op::Cos>(x); }
inline Tensor tan(const Tensor& x) { return apply<op::Tan>(x); }
inline Tensor atan(const Tensor& x) { return apply<op::Atan>(x); }
inline Tensor sinh(const Tensor& x) { return apply<op::Sinh>(x); }
inline Tensor cosh(const Tensor& x) { return apply<op::Cosh>(x); }
inline Tensor gaussian(const Tensor& x) { return apply<op::Gaussian>(x); }
inline Tensor erf(const Tensor& x) { return apply<op::Erf>(x); }
inline Tensor sech2(const Tensor& x) { return apply<op::Sech2>(x); }
inline Tensor tanh(const Tensor& x) { return apply<op::Tanh>(x); }
inline Tensor sigmoid(const Tensor& x) { return apply<op::Sigmoid>(x); }
inline Tensor softplus(const Tensor& x) { return apply<op::Softplus>(x); }
inline Tensor silu(const Tensor& x) { return apply<op::Silu>(x); }
inline Tensor gelu(const Tensor& x) { return apply<op::Gelu>(x); }
inline Tensor step(const Tensor& x) { return apply<op::Step>(x); }
inline Tensor sign(const Tensor& x) { return apply<op::Sign>(x); }
inline Tensor relu(const Tensor& x) { return apply<op::Relu>(x); }
inline Tensor abs(const Tensor& x) { return apply<op::Abs>(x); }

/// x where mask is not 0, y elsewhere. The branch not taken may be infinite: it is selected away,
/// not multiplied by zero. The mask has no gradient.
Tensor where(const Tensor& mask, const Tensor& x, const Tensor& y);
/// The elements as another dtype; x itself where it has that one.
Tensor cast(const Tensor& x, DType dtype);

// ---- reductions ---------------------------------------------------------------------------------

// Memory of their own, also where nothing is to be summed; sum_to alone may return x itself.

/// The sum of all elements, shape [].
Tensor sum(const Tensor& x);
/// The sum over some axes; with keep they stay, with size 1.
Tensor sum(const Tensor& x, std::initializer_list<int> axes, bool keep = false);
Tensor mean(const Tensor& x);
Tensor mean(const Tensor& x, std::initializer_list<int> axes, bool keep = false);
/// The sum over whatever broadcasting `shape` to x's shape would repeat; x itself where that is
/// nothing.
Tensor sum_to(const Tensor& x, const Shape& shape);

// ---- shapes -------------------------------------------------------------------------------------

/// The same elements in row-major order; a view when x is contiguous. One size may be -1.
Tensor reshape(const Tensor& x, const Shape& shape);
/// A view with two axes exchanged.
Tensor transpose(const Tensor& x, int a = -2, int b = -1);
inline constexpr std::int64_t to_the_end = std::numeric_limits<std::int64_t>::max();
/// A view of begin <= index < end along an axis; negative ones count from the end. Errors:
/// ShapeError out of range.
Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end = to_the_end);
/// A view of one index along an axis, which is dropped; -1 is the last. Errors: as slice.
Tensor select(const Tensor& x, int axis, std::int64_t index);
/// A view that repeats axes of size 1; x itself where it has that shape.
Tensor expand(const Tensor& x, const Shape& shape);
/// Zeros of `shape` with x at `begin` along an axis: the adjoint of slice.
Tensor embed(const Tensor& x, const Shape& shape, int axis, std::int64_t begin);
/// Tensors one after another along an axis.
Tensor concat(const std::vector<Tensor>& parts, int axis);
/// Tensors of one shape along a new axis.
Tensor stack(const std::vector<Tensor>& parts, int axis);
/// The given indices along an axis, in order, repeats allowed. Errors: ShapeError out of range.
Tensor gather(const Tensor& x, int axis, const std::vector<std::int64_t>& indices);

// ---- products -----------------------------------------------------------------------------------

/// x [..., k] times w [k, n]: [..., n]; leading axes, of which there may be none, are rows of one
/// product. Or x [b, n, k] times w [b, k, m]: b products [n, m], which a trace refuses; there may
/// be two leading axes.
Tensor matmul(const Tensor& x, const Tensor& w);
/// x [..., k] and g [..., n] multiplied and summed over all leading axes: [k, n]. Without any it is
/// the outer product.
Tensor contract(const Tensor& x, const Tensor& g);
/// A dense layer on a jet: x [points, channels, in] times w [in, out], plus b [out] in channel 0.
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b);

// ---- in place -----------------------------------------------------------------------------------

// Changes are recorded where an operand requires a gradient: t goes on from its new value, views of
// it and what it is a view of do likewise, and what used them before keeps the old place on the
// tape. Tangents change with the values. Operands may show elements of t.

/// t += x, of t's shape and dtype, x broadcast. Errors: EngineError for a leaf that requires a
/// gradient, a view of one, and where a tensor that shares the memory would not notice.
void add_in_place(Tensor& t, const Tensor& x);
// Likewise; errors as add_in_place.
void sub_in_place(Tensor& t, const Tensor& x);
void mul_in_place(Tensor& t, const Tensor& x);
void div_in_place(Tensor& t, const Tensor& x);
/// t = x, broadcast and converted to t's dtype; what t was before no longer counts. Errors: as
/// add_in_place.
void copy_in_place(Tensor& t, const Tensor& x);

// The elements change, and with them every handle and view on them; x = x + y makes a new tensor.
inline Tensor& operator+=(Tensor& t, const Tensor& x) { return add_in_place(t, x), t; }
inline Tensor& operator-=(Tensor& t, const Tensor& x) { return sub_in_place(t, x), t; }
inline Tensor& operator*=(Tensor& t, const Tensor& x) { return mul_in_place(t, x), t; }
inline Tensor& operator/=(Tensor& t, const Tensor& x) { return div_in_place(t, x), t; }
// And through a view without a name: slice(t, 0, 0, 2) += x.
inline void operator+=(Tensor&& view, const Tensor& x) { add_in_place(view, x); }
inline void operator-=(Tensor&& view, const Tensor& x) { sub_in_place(view, x); }
inline void operator*=(Tensor&& view, const Tensor& x) { mul_in_place(view, x); }
inline void operator/=(Tensor&& view, const Tensor& x) { div_in_place(view, x); }

}  // namespace pinn
