#include "data/reference/line.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace pinn {
namespace {

using Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// The derivatives of an order of Chebyshev's polynomials T_0 ... T_{count - 1}, from
/// T_{k+1} = 2 s T_k - T_{k-1}, at points s: [points, count].
Matrix chebyshev(const VectorXd& s, int count, int order) {
  std::vector<Matrix> t(order + 1, Matrix::Zero(s.size(), count));
  t[0].col(0).setOnes();
  for (int m = 0; m <= order; ++m)
    for (int k = 1; k < count; ++k) {
      const double twice = k == 1 ? 1 : 2;
      t[m].col(k) = twice * s.cwiseProduct(t[m].col(k - 1));
      if (m > 0) t[m].col(k) += twice * m * t[m - 1].col(k - 1);
      if (k > 1) t[m].col(k) -= t[m].col(k - 2);
    }
  return t[order];
}

/// n + 1 points of [-1, 1], dense at the ends, which are the first and the last.
VectorXd chebyshev_nodes(int n) {
  VectorXd s(n + 1);
  for (int j = 0; j <= n; ++j) s[j] = std::sin(std::numbers::pi * (2 * j - n) / (2 * n));
  return s;
}

}  // namespace

Rule gauss(int n) {
  Rule rule{VectorXd(n), VectorXd(n)};
  for (int i = 0; i < n; ++i) {
    // Newton's method for a root of P_n, from its place in the limit of large n.
    double s = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int step = 0; step < 8; ++step) {
      double p = 1, before = 0;
      for (int k = 0; k < n; ++k)
        before = std::exchange(p, ((2 * k + 1) * s * p - k * before) / (k + 1));
      slope = n * (s * p - before) / (s * s - 1);
      s -= p / slope;
    }
    rule.nodes[i] = (1 - s) / 2;
    rule.weights[i] = 1 / ((1 - s * s) * slope * slope);
  }
  return rule;
}

Line::Line(std::vector<double> breaks, int n) : n_(n), breaks_(std::move(breaks)) {
  const Matrix slopes = chebyshev(Eigen::Vector2d(-1, 1), n + 3, 1);
  Matrix numbers(n + 3, n + 3);
  numbers << slopes.row(0), chebyshev(chebyshev_nodes(n), n + 3, 0), slopes.row(1);
  coefficients_ = numbers.partialPivLu().inverse();
}

std::vector<int> Line::numbers(int piece) const {
  const int first = piece * (n_ + 1);
  std::vector<int> all;
  for (int k = 0; k <= n_; ++k) all.push_back(first + k);
  all.push_back(first + n_ + 2);
  all.push_back(first + n_ + 1);
  return all;
}

VectorXd Line::interpolant(const std::function<double(double)>& f,
                           const std::function<double(double)>& slope) const {
  VectorXd all(count());
  const VectorXd s = chebyshev_nodes(n_);
  for (int piece = 0; piece < pieces(); ++piece) {
    const std::vector<int> of_piece = numbers(piece);
    for (int k = 0; k <= n_; ++k)
      all[of_piece[k + 1]] = f(begin(piece) + length(piece) * (s[k] + 1) / 2);
    all[of_piece[0]] = slope(begin(piece));
    all[of_piece[n_ + 2]] = slope(begin(piece) + length(piece));
  }
  return all;
}

Matrix Line::derivative(int piece, const VectorXd& points, int order) const {
  const double scale = 2 / length(piece);
  const VectorXd s = scale * (points.array() - begin(piece)) - 1;
  Matrix values = std::pow(scale, order) * chebyshev(s, n_ + 3, order) * coefficients_;
  values.leftCols(1) /= scale;  // slopes by the line's own variable
  values.rightCols(1) /= scale;
  return values;
}

Matrix Line::derivative(const VectorXd& points, int order) const {
  Matrix all = Matrix::Zero(points.size(), count());
  for (int i = 0; i < points.size(); ++i) {
    const auto above = std::upper_bound(breaks_.begin() + 1, breaks_.end() - 1, points[i]);
    const int piece = int(above - breaks_.begin()) - 1;
    const Matrix row = derivative(piece, points.segment(i, 1), order);
    const std::vector<int> of_piece = numbers(piece);
    for (std::size_t k = 0; k < of_piece.size(); ++k) all(i, of_piece[k]) = row(0, k);
  }
  return all;
}

Matrix Line::from(const Line& other) const {
  Matrix all(count(), other.count());
  const VectorXd s = chebyshev_nodes(n_);
  for (int piece = 0; piece < pieces(); ++piece) {
    const VectorXd places = begin(piece) + length(piece) * (s.array() + 1) / 2;
    const Matrix values = other.derivative(places, 0), slopes = other.derivative(places, 1);
    const std::vector<int> of_piece = numbers(piece);
    for (int k = 0; k <= n_; ++k) all.row(of_piece[k + 1]) = values.row(k);
    all.row(of_piece[0]) = slopes.row(0);
    all.row(of_piece[n_ + 2]) = slopes.row(n_);
  }
  return all;
}

}  // namespace pinn
