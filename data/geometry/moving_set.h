#pragma once
#include <optional>

#include "data/geometry/body.h"

namespace pinn {

/// A set of space at every value of the other coordinates: the interior of a body that moves, or a
/// piece of its surface. Its points are uniform over space and the other coordinates together:
/// where there are fewer candidates than elsewhere, as many more are refused elsewhere.
class MovingSet {
 public:
  /// `box` has the intervals of all coordinates; of the body's own, those of space, it cuts
  /// nothing.
  MovingSet(Body body, std::optional<BodyPiece> piece, const std::vector<Interval>& box,
            std::vector<Interval> space);

  /// Numbers that a candidate takes.
  int numbers() const { return numbers_ + is_uneven_; }
  /// Measure of the candidates where it is largest.
  double whole() const { return largest_; }
  /// The candidate of a point of the cube at values of the other coordinates, those of x
  /// [coordinates], and whether it lies in the set. place and n are of space.
  bool sample(std::span<const double> cube, std::span<const double> x, std::span<double> place,
              std::span<double> n) const;
  /// The candidates at values of the other coordinates; null where there are none. `exact`: with a
  /// known measure where that can be had.
  std::shared_ptr<const Sampler> at(std::span<const double> x, bool exact = false) const;

 private:
  std::shared_ptr<const Sampler> interior_at(const ShapePtr& shape) const;
  std::shared_ptr<const Sampler> piece_at(const ShapePtr& shape, bool exact) const;

  const Body body_;
  const std::optional<BodyPiece> piece_;
  const std::vector<Interval> space_;
  int numbers_ = 0;
  double largest_ = 0;
  bool is_uneven_ = false;
};

}  // namespace pinn
