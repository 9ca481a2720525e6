#pragma once
#include <functional>
#include <vector>

namespace pinn::shapes {

/// Place of a share of an integral: the inverse of t -> integral of f over (knots[0], t), for a
/// positive f that is smooth between the knots; to rounding.
class InverseIntegral {
 public:
  InverseIntegral(std::function<double(double)> f, std::vector<double> knots);
  double total() const { return sums_.back(); }
  double place(double share) const;

 private:
  double over(double from, double to) const;

  std::function<double(double)> f_;
  std::vector<double> knots_, sums_;
};

/// Knots from 0 to pi / 2 that lie as densely as |sqrt(sin^2 + k^2)| turns at 0, and
/// |sqrt(cos^2 + k^2)| at the other end; 1 or more: it does not.
std::vector<double> knots_of(double k_first, double k_last);

/// A quarter of the ellipse (a cos t, b sin t), 0 < t < pi / 2: where a share of its length ends,
/// and its length.
InverseIntegral quarter_arc(double a, double b);
double quarter_length(double a, double b);

}  // namespace pinn::shapes
