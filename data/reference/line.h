#pragma once
#include <Eigen/Core>
#include <functional>
#include <vector>

namespace pinn {

/// Nodes and weights on [0, 1], exact for polynomials up to degree 2 n - 1 (Gauss, Legendre).
struct Rule {
  Eigen::VectorXd nodes, weights;
};
Rule gauss(int n);

/// Functions of one variable made of polynomials of degree n + 2, with values and slopes that are
/// continuous, by numbers that are these: at each break the slope and the value, and between two
/// breaks the values at n - 1 nodes, dense at its ends (Chebyshev's).
class Line {
 public:
  Line(std::vector<double> breaks, int n);

  /// Count of all numbers.
  int count() const { return pieces() * (n_ + 1) + 2; }
  int pieces() const { return int(breaks_.size()) - 1; }
  double begin(int piece) const { return breaks_[piece]; }
  double length(int piece) const { return breaks_[piece + 1] - breaks_[piece]; }
  /// Which numbers are those of a piece: the slope, n + 1 values from end to end, the slope.
  std::vector<int> numbers(int piece) const;
  /// All numbers of the function that has the values of f, and at breaks its slopes.
  Eigen::VectorXd interpolant(const std::function<double(double)>& f,
                              const std::function<double(double)>& slope) const;

  /// [points, n + 3]: times the numbers of a piece the derivatives of an order at points in it.
  Eigen::MatrixXd derivative(int piece, const Eigen::VectorXd& points, int order) const;
  /// [points, count()]: times all numbers the same at points anywhere.
  Eigen::MatrixXd derivative(const Eigen::VectorXd& points, int order) const;
  /// [count(), other.count()]: times the numbers of a function on another line those of one with
  /// its values and slopes.
  Eigen::MatrixXd from(const Line& other) const;

 private:
  int n_;
  std::vector<double> breaks_;
  Eigen::MatrixXd coefficients_;  // of Chebyshev's polynomials on [-1, 1], of each number there
};

}  // namespace pinn
