#pragma once
#include <string>
#include <vector>

#include "solvers/problem/problem.h"

namespace pinn {

/// A condition that no transform of the output makes exact, and why.
struct Soft {
  std::string name;  ///< of the residual, or of a periodic condition
  std::string why;
  bool rough = false;  ///< for its value has kinks or jumps, and is no pulse
};

/// Conditions as part of the form of the fields. A field in pieces has a form in each, by what is
/// asked on the faces and surfaces that it reaches. Of every field whose values are given on whole
/// faces of the domain
///
///     u = G + D N
///
/// G takes those values there, by transfinite interpolation (Gordon, Hall, Numer. Math. 21 (1973)
/// 109): coordinate by coordinate what is missing on a face is added, faded to the other end where
/// that has values of its own. D is the product of the distances from these faces, each of order
/// one; it is squared where the slope at a face is given, too. Periodic conditions are exact by
/// embedding. Where values are given on surfaces of shapes, too, D has a smooth function of each as
/// a factor (data/geometry/smooth.h), and G goes over between values that differ by weights.
struct HardConditions {
  std::vector<ExpressionPtr> outputs;  ///< per field; null where nothing of it is exact
  std::vector<bool> periodic;          ///< per coordinate: by embedding
  std::vector<std::string> exact;      ///< the residuals and periodic conditions that this decides
  std::vector<Soft> soft;              ///< the other conditions, in their order
};

/// The conditions that can be exact; those that disagree where their faces meet stay as they are,
/// and so do those of fields that have a transform already.
///
///   names     of the requirements to look at; empty: all but equations and data, of which those
///             stay as they are, too, whose values are concentrated in a small part of the domain
///   windows   time is cut: what is asked at its lower end is of the first window alone, and soft
///   layer     why what is asked at the lower end of time is soft otherwise; empty: it is not
///   network   of whose fields alone; -1: of all
HardConditions hard_conditions(const Problem& problem, const std::vector<std::string>& names = {},
                               bool windows = false, const std::string& layer = {},
                               int network = -1);

/// How far two conditions may be apart where their faces meet, and one at both ends of what is
/// periodic: in shares of the largest value on their faces; of derivatives, of the largest there.
inline constexpr double meeting_tolerance = 1e-9;

}  // namespace pinn
