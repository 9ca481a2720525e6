#pragma once
#include <array>
#include <vector>

namespace pinn {

/// x' = sigma (y - x),   y' = x (rho - z) - y,   z' = x y - beta z.
struct Lorenz {
  long double sigma = 10, rho = 28, beta = 8.0L / 3;
};

using Vector3 = std::array<long double, 3>;

/// (x, y, z) at every time of `times` (the first is the start, the others follow in equal
/// distances).
///
///   method  Taylor series of the given order, `steps` steps from time to time, in long doubles
///   errors  the rounding of a step, 1e-19, grows with the flow: by exp(0.9 t) on the attractor
std::vector<Vector3> solve_lorenz(const Lorenz& lorenz, const Vector3& start,
                                  const std::vector<double>& times, int order, int steps);

}  // namespace pinn
