#pragma once
#include <memory>

#include "autograd/ops/jet_table.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/tensor.h"

/// The three ops on jets: tensors [points, channels, features] whose channels multiply as a
/// JetTable says. They are closed under differentiation, so gradients of any order are made of them
/// again:
///
///   y = jet(f, k, h)                 hbar = jet_mul_transposed(ybar, jet(f, k + 1, h))
///   y = jet_mul(a, b)                abar = jet_mul_transposed(ybar, b), bbar alike
///   y = jet_mul_transposed(g, b)     gbar = jet_mul(ybar, b), bbar = jet_mul_transposed(g, ybar)
namespace pinn {

/// The k-th derivative of the unary op `id`, on a jet: f^(k)(h). Channels beyond the value are
/// those of the composite. `parameter` as in apply_unary.
///   errors   ShapeError when h has not the table's channels; EngineError when k + order exceeds
///            what the kernels offer
Tensor jet(int id, double parameter, int k, const JetTablePtr& table, const Tensor& h);

/// (a b)_k = sum w[i,j,k] a_i b_j; one feature broadcasts.
Tensor jet_mul(const JetTablePtr& table, const Tensor& a, const Tensor& b);

/// y_i = sum w[i,j,k] g_k b_j; one feature broadcasts.
Tensor jet_mul_transposed(const JetTablePtr& table, const Tensor& g, const Tensor& b);

/// A function of the coordinates at many points, with the derivatives that a table asks for: an
/// element of a small commutative algebra. Arithmetic and functions of jets carry the derivatives
/// along (Taylor mode); a jet of one channel is a plain tensor. Jets of different channels are
/// refused: ShapeError.
///
///   data   [points, channels, features]
struct Jet {
  JetTablePtr table;
  Tensor data;

  /// The value, [points, 1, features].
  Tensor value() const { return slice(data, 1, 0, 1); }
  /// One channel, [points, features].
  Tensor channel(int i) const { return select(data, 1, i); }
};

/// A jet whose derivatives vanish; value [points, features].
Jet constant_jet(const JetTablePtr& table, const Tensor& value);
/// The coordinates themselves as a jet of `x` [points, coordinates] with unit first derivatives.
Jet coordinate_jet(const JetTablePtr& table, const Tensor& x);
/// The same where the first derivatives by some coordinates, `along`, are meant along vectors
/// instead: [vectors, coordinates], one for each.
Jet coordinate_jet(const JetTablePtr& table, const Tensor& x, const Tensor& vectors,
                   const std::vector<int>& along);

Jet operator+(const Jet& a, const Jet& b);
Jet operator-(const Jet& a, const Jet& b);
Jet operator*(const Jet& a, const Jet& b);
Jet operator/(const Jet& a, const Jet& b);
Jet operator-(const Jet& a);
/// A number times a jet; a number plus a jet changes the value only.
Jet operator*(double c, const Jet& a);
Jet operator+(double c, const Jet& a);

/// f(a) for the unary op `id`.
Jet apply_unary(int id, const Jet& a, double parameter = 0);
/// The binary op `id`. A selecting op takes all channels from the chosen side; comparisons give a
/// constant jet of 1 or 0.
Jet apply_binary(int id, const Jet& a, const Jet& b);
/// All channels of a where the value of mask is not 0, of b elsewhere.
Jet where(const Jet& mask, const Jet& a, const Jet& b);

/// Features of several jets side by side.
Jet concat(const std::vector<Jet>& parts);
/// Some features.
Jet features(const Jet& a, std::int64_t begin, std::int64_t end);

}  // namespace pinn
