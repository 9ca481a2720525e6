#include "data/geometry/body.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "autograd/core/error.h"
#include "data/geometry/formula.h"

namespace pinn {

/// What it last gave is kept, so that formulas that name a body twice join one shape.
struct Body::Motion {
  At at;
  std::vector<int> depends;
  std::vector<double> example;  ///< its place
  std::mutex lock = {};
  std::vector<double> place = {};
  ShapePtr shape = nullptr;
};

namespace {

/// Along each of so many coordinates that a body depends on.
int places_along(std::size_t coordinates) {
  constexpr int most[] = {1, 129, 17, 7, 4, 3};
  return coordinates < std::size(most) ? most[coordinates] : 2;
}

}  // namespace

Body::Body(ShapePtr shape) : example_(std::move(shape)) {}

Body::Body(At at, std::vector<int> depends, std::vector<double> place)
    : motion_(std::make_shared<Motion>(std::move(at), std::move(depends), std::move(place))) {
  example_ = moved(motion_->example);
}

Body Body::joined(const Body& a, const Body& b, ShapePtr (*join)(ShapePtr, ShapePtr)) {
  if (!a.moves() && !b.moves()) return join(a.example_, b.example_);
  std::vector<int> depends = a.depends();
  for (const int c : b.depends())
    if (std::ranges::find(depends, c) == depends.end()) depends.push_back(c);
  std::ranges::sort(depends);
  return {[a, b, join](std::span<const double> x) { return join(a.at(x), b.at(x)); },
          std::move(depends), (a.moves() ? a : b).motion_->example};
}

ShapePtr Body::moved(std::span<const double> x) const {
  const std::scoped_lock alone(motion_->lock);
  std::vector<double> place;
  for (const int c : motion_->depends) place.push_back(x[std::size_t(c)]);
  if (!motion_->shape || place != motion_->place) {
    motion_->shape = nullptr;
    motion_->shape = motion_->at(x);
    motion_->place = std::move(place);
  }
  return motion_->shape;
}

const SpatialShape* Body::operator->() const {
  if (moves())
    throw InternalError({"a body that moves was taken for a shape", "data/geometry/body.cpp",
                         "ask for its shape at a place"});
  return example_.get();
}

std::vector<int> Body::depends() const { return moves() ? motion_->depends : std::vector<int>{}; }

std::vector<std::vector<double>> Body::places(const std::vector<Interval>& box) const {
  std::vector<double> x;
  for (const Interval& i : box) x.push_back(i.lower);
  std::vector<std::vector<double>> all{x};
  const std::vector<int> coordinates = depends();
  const int along = places_along(coordinates.size());
  for (const int c : coordinates) {
    const auto [lower, upper] = box[std::size_t(c)];
    if (lower == upper) continue;
    std::vector<std::vector<double>> more;
    for (const std::vector<double>& place : all)
      for (int k = 0; k < along; ++k) {
        more.push_back(place);
        more.back()[std::size_t(c)] =
            k + 1 == along ? upper : lower + (upper - lower) * k / (along - 1);
      }
    all = std::move(more);
  }
  return all;
}

std::vector<Interval> Body::bounds(const std::vector<Interval>& box) const {
  if (!moves()) return example_->bounds();
  std::vector<Interval> all(std::size_t(example_->dimension()), Interval{INFINITY, -INFINITY});
  for (const std::vector<double>& x : places(box)) {
    const std::vector<Interval> now = at(x)->bounds();
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k] = {std::min(all[k].lower, now[k].lower), std::max(all[k].upper, now[k].upper)};
  }
  return all;
}

Body united(const Body& a, const Body& b) { return Body::joined(a, b, united); }
Body intersected(const Body& a, const Body& b) { return Body::joined(a, b, intersected); }
Body subtracted(const Body& a, const Body& b) { return Body::joined(a, b, subtracted); }

std::vector<BodyPiece> surface_pieces(const Body& body, const std::vector<Interval>& box) {
  const auto pieces_of = [&](const SpatialShape& shape) {
    return shape.bounded() ? shape.surface() : shape.surface_within(box);
  };
  std::vector<BodyPiece> pieces;
  if (!body.moves()) {
    for (auto& piece : pieces_of(body.example())) pieces.push_back({std::move(piece)});
    return pieces;
  }
  const ShapeFormula* formula = formula_of(body.example());
  const std::size_t leaves = formula ? formula->leaves().size() : 1;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    const SpatialShape& shape = formula ? *formula->leaves()[leaf] : body.example();
    for (std::size_t k = 0; k < pieces_of(shape).size(); ++k) pieces.push_back({nullptr, leaf, k});
  }
  return pieces;
}

}  // namespace pinn
