#pragma once
#include <functional>
#include <vector>

#include "data/geometry/shapes/outline.h"

namespace pinn::shapes {

/// Pieces of surfaces that are round, and what turns about an axis.

/// A part of a circle from one angle to another, outward.
SamplerPtr arc_piece(Corner center, double radius, double from, double to);

/// Surface that a straight line sweeps that turns about the last axis of space, by an angle from
/// the first: from and to are its distance from the axis and its height. Outward is to the right of
/// its way.
SamplerPtr turned_line(Corner from, Corner to, double angle);

/// The inside of an outline that turns about the last axis; x is the distance from it.
SamplerPtr turned_interior(std::shared_ptr<const Outline> outline, double angle);

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
