#pragma once
#include <functional>

#include "data/geometry/shape.h"
#include "tests/dice.h"

namespace pinn::test {

/// A random formula of shapes, and the same as a function of a place: inside, on none of the
/// surfaces.
struct RandomTree {
  ShapePtr shape;
  std::function<bool(std::span<const double>)> inside;
};

/// Boxes stand on a lattice, so that many of their faces coincide.
RandomTree random_tree(Dice& dice, int dimension, int shapes);

}  // namespace pinn::test
