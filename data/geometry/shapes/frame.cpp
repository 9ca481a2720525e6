#include "data/geometry/shapes/frame.h"

namespace pinn::shapes {

/// I - (a + e)(a + e)^T / (1 + a.e) + 2 a e^T: the turn in the plane of a and e, the last
/// direction; half a turn where a = -e.
Motion onto(const std::vector<double>& origin, std::vector<double> axis) {
  const std::size_t d = origin.size();
  axis = unit(std::move(axis));
  Motion motion{std::vector<double>(d * d), origin, 1};
  const double cosine = axis[d - 1];
  for (std::size_t i = 0; i < d; ++i) motion.rotation[i * d + i] = 1;
  if (cosine < -1 + 1e-14) {
    motion.rotation[d * d - 1] = -1;
    motion.rotation[0] = -1;
    return motion;
  }
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      const double a = axis[i] + (i == d - 1), b = axis[j] + (j == d - 1);
      motion.rotation[i * d + j] -= a * b / (1 + cosine);
      if (j == d - 1) motion.rotation[i * d + j] += 2 * axis[i];
    }
  return motion;
}

}  // namespace pinn::shapes
