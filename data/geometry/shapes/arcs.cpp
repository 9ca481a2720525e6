#include "data/geometry/shapes/arcs.h"

#include <algorithm>
#include <cmath>

#include "data/geometry/shapes/ellipsoid.h"

namespace pinn::shapes {
namespace {

/// The t below which a share u of the integral of a + b t over (0, 1) lies, for a, a + b >= 0.
double linear_share(double a, double b, double u) {
  const double end = a + b, middle = std::sqrt(a * a + u * (end - a) * (end + a));
  return std::min(u * (a + end) / (a + middle), 1.0);
}

/// Integral up to t of x times the height of a trapezoid, both linear between its ends.
struct Weighted {
  double x, dx, height, dheight;  ///< at the left, and how much they grow
  double up_to(double t) const {
    return dx * t * (x * height + t * ((x * dheight + dx * height) / 2 + t * dx * dheight / 3));
  }
  double slope(double t) const { return dx * (x + t * dx) * (height + t * dheight); }
  double share(double u) const {
    const double aim = u * up_to(1);
    return rising_root(0, 1, u, [&](double t) { return std::pair{up_to(t) - aim, slope(t)}; });
  }
};

double height(const Outline& outline, std::size_t edge, double x) {
  const Corner a = outline.corners()[edge], b = outline.next(edge);
  return a.y + (x - a.x) / (b.x - a.x) * (b.y - a.y);
}

Weighted weighted(const Outline& outline, const Trapezoid& t) {
  const double left = height(outline, t.top, t.left) - height(outline, t.bottom, t.left),
               right = height(outline, t.top, t.right) - height(outline, t.bottom, t.right);
  return {t.left, t.right - t.left, std::max(left, 0.0),
          std::max(right, 0.0) - std::max(left, 0.0)};
}

}  // namespace

SamplerPtr arc_piece(Corner center, double radius, double from, double to) {
  return surface_map(2, radius * (to - from),
                     [=](std::span<const double> cube, std::span<double> x, std::span<double> n) {
                       const double angle = from + cube[0] * (to - from);
                       const double c = std::cos(angle), s = std::sin(angle);
                       x[0] = center.x + radius * c;
                       x[1] = center.y + radius * s;
                       if (n.empty()) return;
                       n[0] = c;
                       n[1] = s;
                     });
}

SamplerPtr turned_line(Corner from, Corner to, double angle) {
  const double dr = to.x - from.x, dz = to.y - from.y, size = std::hypot(dr, dz);
  return surface_map(3, angle * size * (from.x + to.x) / 2,
                     [=](std::span<const double> cube, std::span<double> x, std::span<double> n) {
                       const double t = linear_share(from.x, dr, cube[0]), turn = angle * cube[1];
                       const double c = std::cos(turn), s = std::sin(turn), r = from.x + t * dr;
                       x[0] = r * c;
                       x[1] = r * s;
                       x[2] = from.y + t * dz;
                       if (n.empty()) return;
                       n[0] = dz / size * c;
                       n[1] = dz / size * s;
                       n[2] = -dr / size;
                     });
}

SamplerPtr turned_interior(std::shared_ptr<const Outline> outline, double angle) {
  std::vector<double> sums;
  double sum = 0;
  for (const Trapezoid& t : outline->trapezoids())
    sums.push_back(sum += weighted(*outline, t).up_to(1));
  return interior_map(
      3, angle * sum, [=](std::span<const double> cube, std::span<double> x, std::span<double>) {
        const auto [k, u] = share_of(sums, cube[0]);
        const Trapezoid& t = outline->trapezoids()[k];
        const double r = t.left + weighted(*outline, t).share(u) * (t.right - t.left);
        const double bottom = height(*outline, t.bottom, r);
        x[0] = r * std::cos(angle * cube[2]);
        x[1] = r * std::sin(angle * cube[2]);
        x[2] = bottom + cube[1] * (height(*outline, t.top, r) - bottom);
      });
}

}  // namespace pinn::shapes
