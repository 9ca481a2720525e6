#pragma once
#include <string>

namespace pinn {

/// How far a model is from the reference in one quantity.
struct Distance {
  std::string name;       ///< of a field, a derivative or a define: u, u_x
  double l2 = 0;          ///< |model - reference| / |reference|, root mean squares over the domain
  bool absolute = false;  ///< |model - reference| alone: the reference is zero
  double largest = 0;     ///< of |model - reference| at a point
  std::string where;      ///< that point, "x = 0.01, t = 0.99"

  bool operator==(const Distance&) const = default;
};

/// "relative L2 error of u: 2.82e-05, largest 1.30e-04 at x = 0.01, t = 0.99"
std::string distance_text(const Distance& distance);

}  // namespace pinn
