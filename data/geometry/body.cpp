#include "data/geometry/body.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <unordered_map>

#include "autograd/core/error.h"
#include "data/geometry/formula.h"

namespace pinn {

/// A formula of shapes of which each comes from a body, so that a place costs as much as its
/// shapes.
struct Body::Leaf {
  ShapePtr example;  ///< what stands for it in the formula
  Body body;
  std::size_t number = 0;  ///< among the leaves of the body
};

/// Some hundred of its shapes are kept: measures go through the same places for piece after piece,
/// and formulas that name a body twice join one shape.
struct Body::Motion {
  Motion(At shape_at, std::vector<int> coordinates, std::vector<double> place)
      : at(std::move(shape_at)), depends(std::move(coordinates)), example(std::move(place)) {}

  At at;
  std::vector<int> depends;
  std::vector<double> example;  ///< its place
  std::mutex lock = {};
  std::map<std::vector<double>, ShapePtr> shapes = {};  ///< by the coordinates it depends on
  std::vector<Leaf> leaves = {};                        ///< of a formula of bodies
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

std::vector<Body::Leaf> Body::leaves() const {
  if (moves() && !motion_->leaves.empty()) return motion_->leaves;
  const ShapeFormula* formula = formula_of(*example_);
  if (!formula) return {{example_, *this}};
  std::vector<Leaf> all;
  for (std::size_t k = 0; k < formula->leaves().size(); ++k)
    all.push_back({formula->leaves()[k], *this, k});
  return all;
}

Body Body::joined(const Body& a, const Body& b, ShapePtr (*join)(ShapePtr, ShapePtr)) {
  const ShapePtr example = join(a.example_, b.example_);
  if (!a.moves() && !b.moves()) return example;
  std::unordered_map<const SpatialShape*, Leaf> known;
  for (const Body* body : {&b, &a})
    for (Leaf& leaf : body->leaves()) known[leaf.example.get()] = std::move(leaf);
  const ShapeFormula formula = *formula_of(*example);
  std::vector<Leaf> leaves;
  for (const ShapePtr& leaf : formula.leaves()) leaves.push_back(known.at(leaf.get()));
  std::vector<int> depends = a.depends();
  for (const int c : b.depends())
    if (std::ranges::find(depends, c) == depends.end()) depends.push_back(c);
  std::ranges::sort(depends);
  const auto at = [formula, leaves](std::span<const double> x) {
    std::vector<ShapePtr> now;
    for (const Leaf& leaf : leaves) {
      const ShapePtr shape = leaf.body.at(x);
      const ShapeFormula* of_body = formula_of(*shape);
      now.push_back(of_body ? of_body->leaves()[leaf.number] : shape);
    }
    return shape_of(formula.of(std::move(now)));
  };
  Body body(at, std::move(depends), (a.moves() ? a : b).motion_->example);
  body.motion_->leaves = std::move(leaves);
  body.example_ = example;
  return body;
}

ShapePtr Body::moved(std::span<const double> x) const {
  constexpr std::size_t most = 512;
  const std::scoped_lock alone(motion_->lock);
  std::vector<double> place;
  for (const int c : motion_->depends) place.push_back(x[std::size_t(c)]);
  auto& shapes = motion_->shapes;
  if (const auto known = shapes.find(place); known != shapes.end()) return known->second;
  if (shapes.size() >= most) shapes.clear();
  return shapes[std::move(place)] = motion_->at(x);
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
