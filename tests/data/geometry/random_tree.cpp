#include <functional>

#include "tests/data/geometry/random_tree.h"

namespace pinn::test {
namespace {

ShapePtr box(Dice& dice, int dimension) {
  std::vector<double> lower, upper;
  for (int c = 0; c < dimension; ++c) {
    lower.push_back(0.125 * double(dice.below(4)));
    upper.push_back(lower.back() + 0.125 * double(1 + dice.below(3)));
  }
  return make_shape({dimension == 2 ? "rectangle" : "cuboid", {{"lower", lower}, {"upper", upper}}},
                    dimension);
}

ShapePtr ball(Dice& dice, int dimension) {
  std::vector<double> center;
  for (int c = 0; c < dimension; ++c) center.push_back(0.125 + 0.5 * dice.uniform());
  return make_shape({"ball", {{"center", center}, {"radius", {0.08 + 0.12 * dice.uniform()}}}},
                    dimension);
}

ShapePtr polygon(Dice& dice) {
  const double x = 0.25 * double(dice.below(3)), y = 0.25 * double(dice.below(3)), a = 0.125,
               b = 0.25;
  return make_shape(
      {"polygon",
       {{"corners", {x, y, x + b, y, x + b, y + a, x + a, y + a, x + a, y + b, x, y + b}}}},
      2);
}

ShapePtr leaf(Dice& dice, int dimension) {
  const auto kind = dice.below(4);
  if (kind == 0) return ball(dice, dimension);
  if (kind == 1 && dimension == 2) return polygon(dice);
  return box(dice, dimension);
}

}  // namespace

RandomTree random_tree(Dice& dice, int dimension, int shapes) {
  if (shapes == 1) {
    const ShapePtr one = leaf(dice, dimension);
    return {one, [one](std::span<const double> x) { return one->inside(x); }};
  }
  const int first = 1 + int(dice.below(shapes - 1));
  const RandomTree a = random_tree(dice, dimension, first),
                   b = random_tree(dice, dimension, shapes - first);
  const auto in_a = a.inside, in_b = b.inside;
  switch (dice.below(4)) {
    case 0:
      return {subtracted(a.shape, b.shape),
              [=](std::span<const double> x) { return in_a(x) && !in_b(x); }};
    case 1:
      return {intersected(a.shape, b.shape),
              [=](std::span<const double> x) { return in_a(x) && in_b(x); }};
    default:
      return {united(a.shape, b.shape),
              [=](std::span<const double> x) { return in_a(x) || in_b(x); }};
  }
}

}  // namespace pinn::test
