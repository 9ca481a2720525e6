#include "data/geometry/shapes/ellipsoid.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pinn::shapes {
namespace {

/// The foot of a place with coordinates >= 0: x_k = y_k / (1 + (s - 1) (least / radii_k)^2), where
/// s > 0 solves sum (x_k / radii_k)^2 = 1. The sum falls with s and is convex: Newton's steps from
/// below never pass the root.
class Foot {
 public:
  Foot(const std::vector<double>& radii, std::span<const double> y, double least)
      : radii_(radii), y_(y), least_(least) {}

  double root() const {
    double s = 0, slope = 0;
    for (std::size_t k = 0; k < y_.size(); ++k)
      if (radii_[k] == least_) s = std::max(s, y_[k] / radii_[k]);
    while (s > 0 && excess(16 * s, slope) > 0) s *= 16;
    for (int again = 0; again < 100; ++again) {
      const double step = excess(s, slope) / slope;
      if (!(step > 1e-16 * s)) break;
      s += step;
    }
    return s;
  }
  double place(std::size_t k, double s) const {
    if (y_[k] == 0) return 0;
    const double ratio = least_ / radii_[k];
    return y_[k] / (s * ratio * ratio + (1 - ratio) * (1 + ratio));
  }

 private:
  /// The sum less 1, and how fast it falls.
  double excess(double s, double& slope) const {
    double sum = -1;
    slope = 0;
    for (std::size_t k = 0; k < y_.size(); ++k) {
      if (y_[k] == 0) continue;
      const double ratio = least_ / radii_[k], x = place(k, s), share = x / radii_[k];
      sum += share * share;
      slope += 2 * share * share * ratio * ratio * x / y_[k];
    }
    return sum;
  }

  const std::vector<double>& radii_;
  const std::span<const double> y_;
  const double least_;
};

}  // namespace

double ellipsoid_foot(const std::vector<double>& radii, std::span<const double> y,
                      std::span<double> foot) {
  const std::size_t d = y.size();
  double size[3], x[3], inside = -1;
  for (std::size_t k = 0; k < d; ++k) {
    size[k] = std::fabs(y[k]);
    inside += (size[k] / radii[k]) * (size[k] / radii[k]);
  }
  const double least = *std::min_element(radii.begin(), radii.end());
  // In the plane of symmetry across the shortest radius, near the middle, two points are nearest.
  std::size_t shortest = 0;
  bool across = true;
  double sum = 0;
  for (std::size_t k = 0; k < d; ++k) {
    if (radii[k] == least) {
      across = across && size[k] == 0;
      shortest = k;
      continue;
    }
    const double ratio = least / radii[k];
    x[k] = size[k] / ((1 - ratio) * (1 + ratio));
    sum += (x[k] / radii[k]) * (x[k] / radii[k]);
  }
  if (across && sum < 1) {
    for (std::size_t k = 0; k < d; ++k)
      if (radii[k] == least) x[k] = 0;
    x[shortest] = least * std::sqrt(1 - sum);
  } else {
    const Foot nearest(radii, {size, d}, least);
    const double s = nearest.root();
    for (std::size_t k = 0; k < d; ++k) x[k] = nearest.place(k, s);
  }
  double square = 0;
  for (std::size_t k = 0; k < d; ++k) {
    square += (x[k] - size[k]) * (x[k] - size[k]);
    foot[k] = std::copysign(x[k], y[k]);
  }
  return inside > 0 ? std::sqrt(square) : -std::sqrt(square);
}

/// In angles, (a sin t cos p, b sin t sin p, c cos t): the element of area is
/// sin t |(P cos p, Q sin p)|, which is that of an ellipse's arc for each t; its integral over p is
/// known in closed form and gives the shares of t.
SamplerPtr ellipsoid_skin(const std::vector<double>& radii) {
  const double a = radii[0], b = radii[1], c = radii[2];
  const auto arc = [=](double t) {  // Q and P, the radii of that ellipse
    return std::pair{a * std::hypot(c * std::sin(t), b * std::cos(t)),
                     b * std::hypot(c * std::sin(t), a * std::cos(t))};
  };
  const auto ring = [=](double t) {
    const auto [q, p] = arc(t);
    return 4 * std::sin(t) * quarter_length(q, p);
  };
  const double widest = std::max(a, b);
  const InverseIntegral rings(ring, knots_of(std::min(a, b) / c, c / widest));
  return surface_map(3, 2 * rings.total(),
                     [=](std::span<const double> cube, std::span<double> x, std::span<double>) {
                       const bool upper = cube[0] < 0.5;
                       const double t = rings.place(upper ? 2 * cube[0] : 2 - 2 * cube[0]);
                       const auto [q, p] = arc(t);
                       const double turn = angle_at(quarter_arc(q, p), cube[1]);
                       x[0] = a * std::sin(t) * std::cos(turn);
                       x[1] = b * std::sin(t) * std::sin(turn);
                       x[2] = c * (upper ? std::cos(t) : -std::cos(t));
                     });
}

}  // namespace pinn::shapes
