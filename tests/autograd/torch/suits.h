#pragma once
#include "tests/autograd/torch/calls.h"

namespace pinn::test {

/// True where a call stays away from poles and ends of its domain. At kinks it does, too, unless
/// its operands are exact: then both engines are on the kink, or neither.
bool suits(const Call& call, const std::vector<Tensor>& on, bool exact);

/// True where a call is on a kink in both engines, or in neither, and means the same to both at
/// poles.
bool suits_wild(const Call& call, const std::vector<Tensor>& on, bool exact);

/// True where numbers without rounding errors give such numbers.
bool keeps_exact(const std::string& op);
bool is_comparison(const std::string& op);

/// True where two shapes have a common one to broadcast to.
bool broadcast_together(const Shape& a, const Shape& b);

/// The largest |x|; NaN where there is one.
double largest_of(const Tensor& x);

}  // namespace pinn::test
