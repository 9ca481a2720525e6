#include "data/reference/l_shape.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <complex>
#include <initializer_list>
#include <numbers>
#include <vector>

namespace pinn {
namespace {

using Complex = std::complex<double>;
using Eigen::Vector2d;
using Eigen::VectorXd;
using std::numbers::pi;

/// Powers of what is divided by it stay of order one.
constexpr double scale = 1.2;

/// From the positive y axis, 0 to 3 pi / 2 in the domain; to rounding on both of these walls.
double angle(double x, double y) {
  const double from_y = std::atan2(y, x) - pi / 2;
  return from_y < -pi / 4 ? from_y + 2 * pi : from_y;
}

/// r^2 times log r + i phi times exp(2 i phi).
Complex square_log(double r, double phi) {
  return r == 0 ? Complex(0) : r * r * std::polar(1., 2 * phi) * Complex(std::log(r), phi);
}

/// z^2 log z at a corner, with the cut turned away from the domain, which lies about `inward`.
Complex square_log(double x, double y, const Vector2d& corner, double inward) {
  const Complex z = Complex(x - corner[0], y - corner[1]) * std::polar(1., -inward);
  return square_log(std::abs(z), std::arg(z));
}

/// Every function of the sum but the first, at a place: harmonic and symmetric.
VectorXd harmonics(int n, double x, double y) {
  std::vector<double> all;
  const double r = std::hypot(x, y), phi = angle(x, y);
  for (int k = 1; k < 2 * n; k += 2)
    all.push_back(std::pow(r / scale, 2 * k / 3.) * std::sin(2 * k * phi / 3));
  all.push_back(square_log(r, phi).imag() - 3 * pi / 4 * r * r * std::cos(2 * phi));

  const Complex z = Complex(x + 0.25, y + 0.25) * std::polar(1 / scale, -pi / 4);
  Complex power = 1;
  for (int k = 0; k <= n; ++k, power *= z) all.push_back(power.real());

  const auto add = [&](const Vector2d& corner, double inward) {
    const Complex sum = square_log(x, y, corner, inward) + square_log(y, x, corner, inward);
    all.push_back(sum.real());
    all.push_back(sum.imag());
  };
  add({-1, -1}, pi / 4);
  add({1, -1}, 3 * pi / 4);
  add({1, 0}, -3 * pi / 4);
  return Eigen::Map<const VectorXd>(all.data(), Eigen::Index(all.size()));
}

double first(double x, double y) { return -(x * x + y * y) / 4; }

/// Points of the half of the boundary with x >= y, `count` for each wall, or 2 `count` of the long
/// one: dense at both ends of a wall.
std::vector<Vector2d> walls(int count) {
  std::vector<Vector2d> points;
  const auto add = [&](const Vector2d& from, const Vector2d& to, int n) {
    for (int i = 0; i < n; ++i) {
      double t = (i + 0.5) / n;
      for (int twice = 0; twice < 2; ++twice) t = (1 - std::cos(pi * t)) / 2;
      points.push_back(from + t * (to - from));
    }
  };
  add({0, 0}, {1, 0}, count);
  add({1, 0}, {1, -1}, count);
  add({1, -1}, {-1, -1}, 2 * count);
  return points;
}

}  // namespace

LShape::LShape(int n) : n_(n) {
  const std::vector<Vector2d> points = walls(8 * n);
  Eigen::MatrixXd matrix(points.size(), harmonics(n, 0, 0).size());
  VectorXd right(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    matrix.row(Eigen::Index(i)) = harmonics(n, points[i][0], points[i][1]);
    right[Eigen::Index(i)] = -first(points[i][0], points[i][1]);
  }
  const VectorXd unit = matrix.colwise().norm().cwiseInverse();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors(matrix * unit.asDiagonal());
  coefficients_ = unit.cwiseProduct(factors.solve(right));
}

double LShape::operator()(double x, double y) const {
  return first(x, y) + harmonics(n_, x, y).dot(coefficients_);
}

double LShape::error() const {
  double largest = 0;
  for (const Vector2d& at : walls(32 * n_ + 1))
    largest = std::max(largest, std::abs((*this)(at[0], at[1])));
  return largest;
}

}  // namespace pinn
