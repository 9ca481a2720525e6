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
  /// Position of a place: whether in a closed set, and whether off its surface too.
  struct Where {
    bool closed = false, open = false;
  };
  /// The distance of a place, the shape that it is measured from, and which side of that is inside.
  struct Nearest {
    double distance = 0;
    std::size_t leaf = 0;
    double side = 1;
  };

  static constexpr std::size_t most_shapes = 10'000;
  /// Errors: ConfigError for more than these. To be asked before so many are made.
  static void require_shapes(std::size_t count);

  explicit ShapeFormula(ShapePtr leaf);
  /// `this` act `other`; a shape that stands in both stays one leaf.
  ///
  ///   errors   ConfigError for more than `most_shapes`, and for shapes of two dimensions
  void append(const ShapeFormula& other, Act act);
  /// The same formula of other leaves, in their order.
  ShapeFormula of(std::vector<ShapePtr> leaves) const;

  int dimension() const { return leaves_[0]->dimension(); }
  /// How many are joined: one that stands in it twice counts twice.
  std::size_t shapes() const { return (steps_.size() + 1) / 2; }
  const std::vector<ShapePtr>& leaves() const { return leaves_; }
  const std::vector<Step>& steps() const { return steps_; }
  bool bounded() const;
  /// Bounds of the set that each step completes; those of the whole come last.
  std::vector<std::vector<Interval>> bounds() const;
  DistanceKind distance_kind() const;

  /// Position of a place with regard to a leaf.
  Where in_leaf(std::size_t leaf, std::span<const double> x) const;
  /// Position of a place with regard to what a step completes.
  Where in_step(std::size_t step, std::span<const double> x) const {
    const std::size_t first = steps_[step].first;
    return evaluate(std::span(steps_).subspan(first, step + 1 - first), depth_,
                    [&](std::size_t leaf) { return in_leaf(leaf, x); });
  }
  /// True if a place lies in the box of a leaf, with a margin for rounding.
  bool near_leaf(std::size_t leaf, std::span<const double> x) const;

  /// Steps that are left where all leaves but some hold nothing; may be empty.
  struct Part {
    std::vector<Step> steps;
    std::size_t depth = 0;
  };
  Part part_of(const std::vector<bool>& leaves) const;
  template <class InLeaf> static Where evaluate(const Part& part, const InLeaf& in) {
    return part.steps.empty() ? Where{} : evaluate(part.steps, part.depth, in);
  }
  Nearest nearest(std::span<const double> x) const;

 private:
  static Where joined(Act act, Where a, Where b);
  template <class InLeaf>
  static Where evaluate(std::span<const Step> steps, std::size_t depth, const InLeaf& in) {
    if (steps.size() == 1) return in(steps[0].leaf);
    Where few[32];
    std::vector<Where> many(depth > std::size(few) ? depth : 0);
    Where* top = many.empty() ? few : many.data();  // of the stack: the next place
    for (const Step& step : steps) {
      if (step.act == Act::leaf) {
        *top++ = in(step.leaf);
        continue;
      }
      --top;
      top[-1] = joined(step.act, top[-1], top[0]);
    }
    return top[-1];
  }

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
