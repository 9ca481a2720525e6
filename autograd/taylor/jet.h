#pragma once
#include "autograd/tape/functions.h"
#include "autograd/tape/jet_functions.h"

namespace pinn {

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
