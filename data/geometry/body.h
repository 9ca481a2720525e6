#pragma once
#include <functional>

#include "data/geometry/shape.h"

namespace pinn {

/// A shape of space at every value of the other coordinates: one for all, or one that moves with
/// time or depends on parameters. Copies are the same body.
class Body {
 public:
  /// The shape at a place x [coordinates of the problem], which is read where the shape depends on
  /// it.
  using At = std::function<ShapePtr(std::span<const double> x)>;

  Body() = default;
  Body(ShapePtr shape);  // one for all
  /// `at` depends on some coordinates, and gives an example at a place [coordinates].
  ///
  ///   errors   those of `at`
  Body(At at, std::vector<int> depends, std::vector<double> place);

  explicit operator bool() const { return example_ != nullptr; }
  bool moves() const { return motion_ != nullptr; }
  ShapePtr at(std::span<const double> x) const { return moves() ? moved(x) : example_; }
  /// One of its shapes: of what kind they are, how many pieces they have.
  const SpatialShape& example() const { return *example_; }
  /// The shape of a body that does not move; InternalError of one that does.
  const SpatialShape* operator->() const;
  /// The coordinates that it depends on.
  std::vector<int> depends() const;
  /// Bounds that hold it at all values of the other coordinates within `box`.
  std::vector<Interval> bounds(const std::vector<Interval>& box) const;
  /// Places [coordinates] all over a box, its corners among them, in the coordinates it depends on.
  std::vector<std::vector<double>> places(const std::vector<Interval>& box) const;

  bool operator==(const Body& other) const = default;

  /// Two at every value of the other coordinates, joined.
  static Body joined(const Body& a, const Body& b, ShapePtr (*join)(ShapePtr, ShapePtr));

 private:
  struct Leaf;
  struct Motion;
  std::vector<Leaf> leaves() const;
  ShapePtr moved(std::span<const double> x) const;

  ShapePtr example_;
  std::shared_ptr<Motion> motion_;
};

/// As of shapes, at every value of the other coordinates.
Body united(const Body& a, const Body& b);
Body intersected(const Body& a, const Body& b);
Body subtracted(const Body& a, const Body& b);

/// A piece of the surface of a body: of the shape itself where it does not move, else of a leaf of
/// its formula.
struct BodyPiece {
  std::shared_ptr<const Sampler> fixed;  ///< null where it moves
  std::size_t leaf = 0, number = 0;
};
/// All of them, as far as they lie within a box of space; some may be empty.
std::vector<BodyPiece> surface_pieces(const Body& body, const std::vector<Interval>& box);

}  // namespace pinn
