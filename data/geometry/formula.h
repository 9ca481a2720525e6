#pragma once
#include "data/geometry/shape.h"

namespace pinn {

/// Shapes joined by union, intersection and difference: a formula in postfix, so that nothing
/// recurses however deep it is nested.
class ShapeFormula {
 public:
  enum class Act { leaf, unite, intersect, subtract };
  struct Step {
    Act act = Act::leaf;
    std::size_t leaf = 0;
    std::size_t first = 0;  ///< the step at which what this step completes begins
  };
  /// Whether a place lies in a closed set, and whether off its surface too.
  struct Where {
    bool closed = false, open = false;
  };
  /// The distance of a place, the shape that it is measured from, and which side of that is inside.
  struct Nearest {
    double distance = 0;
    std::size_t leaf = 0;
    double side = 1;
  };

  explicit ShapeFormula(ShapePtr leaf);
  /// `this` act `other`; a shape that stands in both stays one leaf.
  ///
  ///   errors   ConfigError for more than 10 000 steps of shapes, and for shapes of two dimensions
  void append(const ShapeFormula& other, Act act);
  /// The same formula of other leaves, in their order.
  ShapeFormula of(std::vector<ShapePtr> leaves) const;

  int dimension() const { return leaves_[0]->dimension(); }
  const std::vector<ShapePtr>& leaves() const { return leaves_; }
  const std::vector<Step>& steps() const { return steps_; }
  bool bounded() const;
  /// Of the set that each step completes; of the whole the last one.
  std::vector<std::vector<Interval>> bounds() const;
  DistanceKind distance_kind() const;

  /// Where a place lies in a leaf.
  Where in_leaf(std::size_t leaf, std::span<const double> x) const;
  /// Where a place lies in what a step completes, by where it lies in the leaves.
  template <class InLeaf> Where in_step_by(std::size_t step, const InLeaf& in) const {
    if (steps_[step].act == Act::leaf) return in(steps_[step].leaf);
    Where few[32];
    std::vector<Where> many(depth_ > std::size(few) ? depth_ : 0);
    Where* top = (many.empty() ? few : many.data()) - 1;  // of the stack
    for (std::size_t k = steps_[step].first; k <= step; ++k) {
      if (steps_[k].act == Act::leaf) {
        *++top = in(steps_[k].leaf);
        continue;
      }
      const Where b = *top--;
      *top = joined(steps_[k].act, *top, b);
    }
    return *top;
  }
  Where in_step(std::size_t step, std::span<const double> x) const {
    return in_step_by(step, [&](std::size_t leaf) { return in_leaf(leaf, x); });
  }
  Nearest nearest(std::span<const double> x) const;

 private:
  static Where joined(Act act, Where a, Where b);

  std::vector<ShapePtr> leaves_;
  std::vector<std::vector<Interval>> boxes_;  ///< of the leaves
  std::vector<Step> steps_;
  std::size_t depth_ = 1;  ///< of the stack
};

/// A formula as a shape, and the formula of such a shape, null for any other.
ShapePtr shape_of(ShapeFormula formula);
const ShapeFormula* formula_of(const SpatialShape& shape);

/// Points of the interior of a formula: those of its leaves, each with what keeps it in the set and
/// out of those that were before it. ConfigError when nothing is left.
std::shared_ptr<const Sampler> formula_interior(std::shared_ptr<const ShapeFormula> formula);

/// The pieces of its leaves' surfaces that are its own.
std::vector<std::shared_ptr<const Sampler>> formula_surface(
    std::shared_ptr<const ShapeFormula> formula);

}  // namespace pinn
