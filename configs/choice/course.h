#pragma once
#include <optional>
#include <vector>

#include "solvers/problem/problem.h"

namespace pinn::config {

/// Roughly how the fields of one coordinate run, from where a problem tells them all: its equations
/// followed both ways by steps to a thousandth or so. It serves to choose, and for nothing else.
struct Course {
  double from = 0;               ///< where all is told
  bool linear = false;           ///< the equations are, in the fields
  std::vector<double> x, share;  ///< places, ascending, and the part of the interval of each
  std::vector<std::vector<std::vector<double>>> fields;  ///< [field][derivative][place]

  double mean(int field, int order = 0) const;
  /// Root mean square of the difference from the mean.
  double deviation(int field, int order = 0) const;
  double lowest(int field) const;
  double highest(int field) const;
  /// Radians over half of the interval, of the field that has most.
  double waves() const;
  /// As often as the largest change of a field goes into the interval where it is steepest.
  double steepness() const;
  /// The largest slope by the root mean square of it, of the field where that is most.
  double unevenness() const;
  /// Squared Fourier coefficients of the fields without their means, faded out at both ends, at 0,
  /// 1, 2, ... radians over half of the interval; the largest is 1.
  std::vector<double> spectrum() const;
  /// Root mean square of a formula along it.
  double size(const ExpressionPtr& formula) const;
};

/// None where a problem has more than one coordinate, or leaves something open beside its fields,
/// or cannot be followed all the way.
std::optional<Course> course_of(const Problem& problem);

}  // namespace pinn::config
