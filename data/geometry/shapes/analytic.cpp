#include "data/geometry/shapes/analytic.h"

namespace pinn::shapes {

void normalize(std::span<double> n) {
  double sum = 0;
  for (double c : n) sum += c * c;
  const double size = std::sqrt(sum);
  for (double& c : n) c = size > 0 ? c / size : 0;
  if (!(size > 0)) n[0] = 1;
}

}  // namespace pinn::shapes
