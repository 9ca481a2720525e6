#pragma once
#include <cmath>

namespace pinn::test {

/// The larger of two numbers; not a number if either is not, which std::max may pass over. Then no
/// comparison holds of what is measured with it.
inline double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

}  // namespace pinn::test
