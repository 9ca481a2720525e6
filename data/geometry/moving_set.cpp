#include "data/geometry/moving_set.h"

#include <algorithm>
#include <cmath>

#include "data/geometry/formula.h"
#include "data/geometry/samplers.h"
#include "data/geometry/surface_test.h"

namespace pinn {
namespace {

/// Between two places that are tried a size may be larger than at both by a part of this.
constexpr double between = 1e-3;

}  // namespace

MovingSet::MovingSet(Body body, std::optional<BodyPiece> piece, const std::vector<Interval>& box,
                     std::vector<Interval> space)
    : body_(std::move(body)), piece_(std::move(piece)), space_(std::move(space)) {
  double least = INFINITY;
  for (const std::vector<double>& x : body_.places(box)) {
    const auto set = at(x);
    const double whole = set ? set->whole() : 0;
    least = std::min(least, whole);
    largest_ = std::max(largest_, whole);
    if (set) numbers_ = std::max(numbers_, set->numbers());
  }
  is_uneven_ = least < (1 - 1e-12) * largest_;
  if (is_uneven_) largest_ *= 1 + between;
}

bool MovingSet::sample(std::span<const double> cube, std::span<const double> x,
                       std::span<double> place, std::span<double> n) const {
  const auto set = at(x);
  if (!set || (is_uneven_ && cube[std::size_t(numbers_)] * largest_ > set->whole())) return false;
  return set->sample(cube.first(std::size_t(set->numbers())), place, n);
}

std::shared_ptr<const Sampler> MovingSet::at(std::span<const double> x, bool exact) const {
  const ShapePtr shape = body_.at(x);
  return piece_ ? piece_at(shape, exact) : interior_at(shape);
}

/// Sampler of the interior; of a formula, of all of the box that holds it, for `inside` to refuse.
std::shared_ptr<const Sampler> MovingSet::interior_at(const ShapePtr& shape) const {
  if (shape->bounded() && !formula_of(*shape)) return shape->interior();
  std::vector<Interval> box = shape->bounds();
  double size = 1;
  for (std::size_t k = 0; k < box.size(); ++k) {
    box[k] = {std::max(box[k].lower, space_[k].lower), std::min(box[k].upper, space_[k].upper)};
    if (!(box[k].lower < box[k].upper)) return nullptr;
    size *= box[k].upper - box[k].lower;
  }
  const auto from = shapes::box_interior(box);
  return shapes::interior_trial(
      shape->dimension(), size, 0,
      [shape, from](std::span<const double> cube, std::span<double> x, std::span<double> n) {
        return from->sample(cube, x, n) && shape->inside(x);
      });
}

std::shared_ptr<const Sampler> MovingSet::piece_at(const ShapePtr& shape, bool exact) const {
  const ShapeFormula* formula = formula_of(*shape);
  const SpatialShape& leaf = formula ? *formula->leaves()[piece_->leaf] : *shape;
  const auto pieces = leaf.bounded() ? leaf.surface() : leaf.surface_within(space_);
  if (piece_->number >= pieces.size()) return nullptr;
  const auto& piece = pieces[piece_->number];
  if (!formula) return piece;
  const auto test = surface_test_of(*shape);
  return exact ? kept_piece(piece, test, piece_->leaf) : tried_piece(piece, test, piece_->leaf);
}

}  // namespace pinn
