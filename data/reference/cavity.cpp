#include "data/reference/cavity.h"

#include <fmt/format.h>

#include <Eigen/SparseLU>
#include <cmath>
#include <limits>
#include <unsupported/Eigen/KroneckerProduct>

#include "autograd/core/error.h"
#include "data/reference/line.h"

namespace pinn {
namespace {

using Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Sparse = Eigen::SparseMatrix<double>;

/// Distances from a corner: whatever happens there happens at every scale.
std::vector<double> graded() {
  std::vector<double> distances{0};
  for (double d = 1e-6; d < 0.1; d *= 4) distances.push_back(d);
  distances.push_back(0.25);
  return distances;
}

std::vector<double> breaks_in_x() {
  std::vector<double> breaks = graded();
  breaks.push_back(0.5);
  const auto near = graded();
  for (auto d = near.rbegin(); d != near.rend(); ++d) breaks.push_back(1 - *d);
  return breaks;
}

/// At the lower corners psi is smooth enough.
std::vector<double> breaks_in_y() {
  std::vector<double> breaks{0, 0.05, 0.2, 0.5};
  const auto near = graded();
  for (auto d = near.rbegin(); d != near.rend(); ++d) breaks.push_back(1 - *d);
  return breaks;
}

/// A stream function: a number for each pair of a number in x and one in y.
class Flow {
 public:
  Flow(double reynolds, const Lid& lid, int n);

  void take(const Flow& other);  ///< its values and slopes
  void solve();                  ///< Newton's method from what it is
  /// d^a/dx^a d^b/dy^b of psi at points x, y.
  Matrix derivative(const VectorXd& x, int a, const VectorXd& y, int b) const {
    return x_.derivative(x, a) * psi_ * y_.derivative(y, b).transpose();
  }

 private:
  struct System;
  void add_piece(int in_x, int in_y, System& system) const;
  double move();

  double nu_;
  Line x_, y_;
  Matrix psi_;
  // Which row of a system is that of a number; -1: the walls fix it.
  Eigen::MatrixXi row_;
  int rows_ = 0;
};

Flow::Flow(double reynolds, const Lid& lid, int n)
    : nu_(1 / reynolds),
      x_(breaks_in_x(), n),
      y_(breaks_in_y(), n),
      psi_(Matrix::Zero(x_.count(), y_.count())),
      row_(Eigen::MatrixXi::Constant(x_.count(), y_.count(), -1)) {
  // First and last are slopes and values on walls. The slope by y is on the lid what that says as a
  // function of x, but at its two ends, where the walls say 0 of it and of its slope.
  const int last_x = x_.count() - 1, last_y = y_.count() - 1;
  VectorXd on_lid = x_.interpolant(lid.speed, lid.slope);
  on_lid.head(2).setZero();
  on_lid.tail(2).setZero();
  psi_.col(y_.numbers(y_.pieces() - 1).back()) = on_lid;
  for (int i = 2; i < last_x - 1; ++i)
    for (int j = 2; j < last_y - 1; ++j) row_(i, j) = rows_++;
}

void Flow::take(const Flow& other) {
  const Matrix values = x_.from(other.x_) * other.psi_ * y_.from(other.y_).transpose();
  psi_ = (row_.array() < 0).select(psi_, values);
}

/// slope * move = right
struct Flow::System {
  std::vector<Eigen::Triplet<double>> slope;
  VectorXd right;
};

/// Adds what one rectangle contributes to the weak form of the curl of the equations,
///
///   integral of  laplacian(psi) (nu laplacian(f) + psi_y f_x - psi_x f_y)  = 0
///
/// for every f of these polynomials that is at rest on the walls, and to its slope in psi.
void Flow::add_piece(int in_x, int in_y, System& system) const {
  const std::vector<int> of_x = x_.numbers(in_x), of_y = y_.numbers(in_y);
  const int n = int(of_x.size());
  const Rule rule = gauss(n + 2);
  const VectorXd x = x_.begin(in_x) + x_.length(in_x) * rule.nodes.array();
  const VectorXd y = y_.begin(in_y) + y_.length(in_y) * rule.nodes.array();
  const auto table = [&](int a, int b) -> Matrix {  // [points, n^2], x and its numbers first
    return Eigen::kroneckerProduct(y_.derivative(in_y, y, b), x_.derivative(in_x, x, a));
  };
  const Matrix f_x = table(1, 0), f_y = table(0, 1), f_lap = table(2, 0) + table(0, 2);
  const VectorXd weights =
      x_.length(in_x) * y_.length(in_y) * Eigen::kroneckerProduct(rule.weights, rule.weights);
  VectorXd psi(n * n);
  Eigen::VectorXi row(n * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      psi[i + n * j] = psi_(of_x[i], of_y[j]);
      row[i + n * j] = row_(of_x[i], of_y[j]);
    }

  const VectorXd psi_x = f_x * psi, psi_y = f_y * psi;
  const VectorXd lap = weights.cwiseProduct(f_lap * psi);
  const Matrix test = nu_ * f_lap + psi_y.asDiagonal() * f_x - psi_x.asDiagonal() * f_y;
  const Matrix turn = f_x.transpose() * lap.asDiagonal() * f_y;
  const VectorXd right = -test.transpose() * lap;
  const Matrix slope = test.transpose() * weights.asDiagonal() * f_lap + turn - turn.transpose();
  for (int i = 0; i < n * n; ++i) {
    if (row[i] < 0) continue;
    system.right[row[i]] += right[i];
    for (int j = 0; j < n * n; ++j)
      if (row[j] >= 0) system.slope.emplace_back(row[i], row[j], slope(i, j));
  }
}

/// One move of Newton's method; how large it is beside psi, NaN when there is none.
double Flow::move() {
  System system{{}, VectorXd::Zero(rows_)};
  for (int i = 0; i < x_.pieces(); ++i)
    for (int j = 0; j < y_.pieces(); ++j) add_piece(i, j, system);
  Sparse slope(rows_, rows_);
  slope.setFromTriplets(system.slope.begin(), system.slope.end());
  system.slope = {};

  // Numbers of small rectangles are of other sizes than those of large ones.
  const VectorXd unit = slope.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  slope = unit.asDiagonal() * slope * unit.asDiagonal();
  const Eigen::SparseLU<Sparse> factors(slope);
  if (factors.info() != Eigen::Success) return std::numeric_limits<double>::quiet_NaN();
  const VectorXd step = factors.solve(unit.cwiseProduct(system.right));

  double size = 0;
  for (int i = 0; i < psi_.rows(); ++i)
    for (int j = 0; j < psi_.cols(); ++j) {
      const int row = row_(i, j);
      if (row < 0) continue;
      psi_(i, j) += unit[row] * step[row];
      size += std::pow(psi_(i, j) / unit[row], 2);
    }
  return step.norm() / std::sqrt(size);
}

void Flow::solve() {
  for (int count = 0; count < 20; ++count)
    if (move() < 1e-6) return;  // what is left is of the size of its square
  throw NumericsError({fmt::format("Newton's method does not converge at Re = {}", 1 / nu_),
                       "the lid-driven cavity", "take more nodes, or a lower Reynolds number"});
}

Flow solved(double reynolds, const Lid& lid, int n) {
  constexpr int few = 3;
  constexpr double slow = 100;
  Flow flow(reynolds, lid, n);
  if (n > few)
    flow.take(solved(reynolds, lid, few));
  else if (std::abs(reynolds) > slow)
    flow.take(solved(reynolds / 2, lid, n));
  flow.solve();
  return flow;
}

}  // namespace

Lid uniform_lid() {
  return {[](double) { return 1.0; }, [](double) { return 0.0; }};
}

Lid parabolic_lid() {
  return {[](double x) { return 4 * x * (1 - x); }, [](double x) { return 4 - 8 * x; }};
}

Velocity solve_cavity(double reynolds, const Lid& lid, int n, const std::vector<double>& x,
                      const std::vector<double>& y) {
  const Flow flow = solved(reynolds, lid, n);
  const Eigen::Map<const VectorXd> xs(x.data(), x.size()), ys(y.data(), y.size());
  const Matrix u = flow.derivative(xs, 0, ys, 1), v = flow.derivative(xs, 1, ys, 0);
  Velocity velocity;
  for (int i = 0; i < xs.size(); ++i)
    for (int j = 0; j < ys.size(); ++j) {
      velocity.u.push_back(u(i, j));
      velocity.v.push_back(-v(i, j));
    }
  return velocity;
}

}  // namespace pinn
