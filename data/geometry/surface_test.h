#pragma once
#include "data/geometry/formula.h"

namespace pinn {

/// Test whether a point of a leaf's surface is one of the whole's, and on which side of it the
/// whole lies. The leaf is asked for what it says a little inside and a little outside of its
/// surface; others for what they say at the point, or, where their surface coincides with it, at
/// both sides, and then only the first of them keeps the point.
class SurfaceTest {
 public:
  explicit SurfaceTest(std::shared_ptr<const ShapeFormula> formula);
  /// 1 where the whole lies where the leaf does, -1 where it lies beyond, 0 where the point is
  /// none.
  int operator()(std::size_t leaf, std::span<const double> x, std::span<const double> n) const;

  /// How far from x it may change, at least; whether another surface passes through x itself, or is
  /// of a shape without a distance: then nothing is known of what lies beside.
  struct Reach {
    double length = 0;
    bool is_known = true;
  };
  Reach reach(std::size_t leaf, std::span<const double> x) const;
  /// True if no other shape is near a leaf, so that it says one thing on all its surface.
  bool is_alone(std::size_t leaf) const { return neighbors_[leaf].empty(); }
  const ShapeFormula& formula() const { return *formula_; }

 private:
  const std::shared_ptr<const ShapeFormula> formula_;
  std::vector<double> steps_;  ///< off a leaf's surface; within them surfaces coincide
  std::vector<std::vector<std::size_t>> neighbors_;  ///< leaves whose boxes meet a leaf's own
  std::vector<ShapeFormula::Part>
      parts_;  ///< of the formula: of a leaf and its neighbors, by place
};

/// That of a shape that is a formula, made once; null for any other.
std::shared_ptr<const SurfaceTest> surface_test_of(const SpatialShape& shape);

/// The part of a piece of a leaf's surface that a test keeps; null where it keeps none. Of a curve
/// it is found by bisection, to rounding; of others by refusal.
std::shared_ptr<const Sampler> kept_piece(std::shared_ptr<const Sampler> piece,
                                          std::shared_ptr<const SurfaceTest> test,
                                          std::size_t leaf);
/// The same by refusal alone, and even where it keeps none.
std::shared_ptr<const Sampler> tried_piece(std::shared_ptr<const Sampler> piece,
                                           std::shared_ptr<const SurfaceTest> test,
                                           std::size_t leaf);
std::shared_ptr<const Sampler> kept_curve(std::shared_ptr<const Sampler> curve,
                                          std::shared_ptr<const SurfaceTest> test,
                                          std::size_t leaf);

}  // namespace pinn
