#pragma once
#include <map>
#include <string>
#include <vector>

namespace pinn {

/// A function of the place by a formula of the problem language that is 0 on the surface of a
/// shape, negative inside and positive outside, and grows about as fast as the distance there; ""
/// of a kind that has none. Where it is made of polynomials alone it has all derivatives
/// everywhere, on the shape's middle axis, too. At the corners and edges of a shape it takes min
/// and max of such polynomials: to be read as R-functions, a + b -+ sqrt(a^2 + b^2), which have the
/// same sign and are smooth but where a = b = 0.
///
///   source  Rvachev, Sheiko (1995), Applied Mechanics Reviews 48, 151-188; Biswas, Shapiro (2004),
///           Graphical Models 66, 133-159
std::string smooth_function(const std::string& kind,
                            const std::map<std::string, std::vector<std::string>>& arguments,
                            const std::vector<std::string>& coordinates);

}  // namespace pinn
