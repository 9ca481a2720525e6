#include "data/geometry/shapes/half_planes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pinn::shapes {
namespace {

double dot_of(const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

Point way(const Point& from, const Point& to) {
  Point d(from.size());
  for (std::size_t c = 0; c < d.size(); ++c) d[c] = to[c] - from[c];
  return d;
}

/// Edges from the first corner as Q R, by Gram and Schmidt, twice for the sake of rounding.
struct Factors {
  std::vector<Point> q, r;  ///< r[i][k] = q_k . edge_i

  explicit Factors(const std::vector<Point>& corners) {
    for (std::size_t i = 1; i < corners.size(); ++i) {
      Point edge = way(corners[0], corners[i]), row(q.size(), 0.0);
      for (int again = 0; again < 2; ++again)
        for (std::size_t k = 0; k < q.size(); ++k) {
          const double along = dot_of(q[k], edge);
          row[k] += along;
          for (std::size_t c = 0; c < edge.size(); ++c) edge[c] -= along * q[k][c];
        }
      row.push_back(std::sqrt(dot_of(edge, edge)));
      for (double& c : edge) c /= row.back();
      q.push_back(edge);
      r.push_back(row);
    }
  }
  double volume() const {  // times the factorial of the number of edges
    double product = 1;
    for (const Point& row : r) product *= row.back();
    return product;
  }
};

double measure_of_simplex(const std::vector<Point>& corners) {
  return Factors(corners).volume() / std::tgamma(double(corners.size()));
}

/// Shares of the corners that are uniform over the simplex, one root after the other.
void mix(const std::vector<Point>& corners, std::span<const double> cube, std::span<double> x) {
  double left = 1;
  std::fill(x.begin(), x.end(), 0.0);
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const std::size_t others = corners.size() - 1 - k;
    const double rest = others == 0 ? 0 : left * std::pow(cube[k], 1.0 / double(others));
    for (std::size_t c = 0; c < x.size(); ++c) x[c] += (left - rest) * corners[k][c];
    left = rest;
  }
}

}  // namespace

double flatness(const std::vector<Point>& corners) {
  double lengths = 1;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const Point edge = way(corners[0], corners[i]);
    lengths *= std::sqrt(dot_of(edge, edge));
  }
  const double volume = lengths > 0 ? Factors(corners).volume() / lengths : 0;
  return std::isfinite(volume) ? volume : 0;
}

Point nearest_of(const std::vector<Point>& corners, const Point& x, bool within) {
  if (corners.size() == 1) return corners[0];
  const Factors f(corners);
  const std::size_t n = f.q.size();
  const Point from = way(corners[0], x);
  Point foot = corners[0], shares(n);
  for (std::size_t k = 0; k < n; ++k) {
    shares[k] = dot_of(f.q[k], from);
    for (std::size_t c = 0; c < foot.size(); ++c) foot[c] += shares[k] * f.q[k][c];
  }
  if (!within) return foot;
  double sum = 0;
  for (std::size_t k = n; k-- > 0;) {  // R^T shares = Q^T (x - first corner)
    for (std::size_t i = k + 1; i < n; ++i) shares[k] -= f.r[i][k] * shares[i];
    shares[k] /= f.r[k][k];
    sum += shares[k];
  }
  shares.insert(shares.begin(), 1 - sum);
  Point best = foot;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (shares[k] >= 0) continue;
    std::vector<Point> face = corners;
    face.erase(face.begin() + std::ptrdiff_t(k));
    const Point near = nearest_of(face, x, true);
    const double distance = gap(near, x);
    if (distance < least) best = near, least = distance;
  }
  return best;
}

SamplerPtr simplex_interior(std::vector<Point> corners) {
  const double whole = measure_of_simplex(corners);
  const int d = int(corners[0].size());
  return interior_map(
      d, whole,
      [corners = std::move(corners)](std::span<const double> cube, std::span<double> x,
                                     std::span<double>) { mix(corners, cube, x); });
}

SamplerPtr simplex_piece(std::vector<Point> corners, Point normal) {
  const double whole = measure_of_simplex(corners);
  const int d = int(corners[0].size());
  return surface_map(d, whole,
                     [corners = std::move(corners), normal = std::move(normal)](
                         std::span<const double> cube, std::span<double> x, std::span<double> n) {
                       mix(corners, cube, x);
                       if (!n.empty()) std::copy(normal.begin(), normal.end(), n.begin());
                     });
}

Point unit_of(Point a) {
  const double size = std::sqrt(dot_of(a, a));
  for (double& c : a) c /= size;
  return a;
}

}  // namespace pinn::shapes
