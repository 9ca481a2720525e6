#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "data/geometry/shapes/number.h"

namespace pinn::shapes {

/// The numbers of a shape by argument, as T; they have been checked.
template <class T> struct Values {
  std::map<std::string, std::vector<T>> all;

  bool has(const std::string& name) const { return all.count(name) > 0; }
  const std::vector<T>& numbers(const std::string& name) const { return all.at(name); }
  const T& number(const std::string& name) const { return all.at(name).at(0); }
};

/// The same numbers as another type.
template <class T, class From> Values<T> as(const Values<From>& values) {
  Values<T> same;
  for (const auto& [name, numbers] : values.all)
    same.all[name] = std::vector<T>(numbers.begin(), numbers.end());
  return same;
}

template <class T> using Place = std::span<const T>;

template <class T> T dot(Place<T> a, Place<T> b) {
  T sum = a[0] * b[0];
  for (std::size_t k = 1; k < a.size(); ++k) sum = sum + a[k] * b[k];
  return sum;
}

template <class T> T length(Place<T> a) {
  T sum = square(a[0]);
  for (std::size_t k = 1; k < a.size(); ++k) sum = sum + square(a[k]);
  return root(sum);
}

template <class T> std::vector<T> between(Place<T> from, Place<T> to) {
  std::vector<T> way;
  for (std::size_t k = 0; k < from.size(); ++k) way.push_back(to[k] - from[k]);
  return way;
}

/// |to - from|, without a place to keep the difference in.
template <class T> T distance_between(Place<T> from, Place<T> to) {
  T sum = square(to[0] - from[0]);
  for (std::size_t k = 1; k < from.size(); ++k) sum = sum + square(to[k] - from[k]);
  return root(sum);
}

/// How much longer than |u| the hypotenuse is whose other side has the square m: 0 where that is 0,
/// with no root of a square, whose slope would be lost on the surface.
template <class T> T longer(T u, T square_of_m) {
  return square_of_m / divisor(root(square(u) + square_of_m) + magnitude(u));
}

/// Signed distance to a box from its middle, by how far each face lies behind: the farthest decides
/// inside, all that are passed outside.
template <class T> T box_rule(Place<T> beyond) {
  T nearest = beyond[0], sum = square(most(beyond[0], T(0.0)));
  for (std::size_t k = 1; k < beyond.size(); ++k) {
    nearest = most(nearest, beyond[k]);
    sum = sum + square(most(beyond[k], T(0.0)));
  }
  if (beyond.size() == 1) return nearest;
  if (beyond.size() == 2)
    return nearest + longer(nearest, square(most(least(beyond[0], beyond[1]), T(0.0))));
  return nearest + longer(nearest, sum - square(most(nearest, T(0.0))));
}

/// Signed distance to a convex corner of the plane: by the signed distances s from the lines of its
/// two edges, and by how far w one has gone beyond the corner along each. The corner counts where
/// both are passed. A convex polygon is the largest of its corners.
template <class T> T corner_rule(T s1, T w1, T s2, T w2) {
  const T side = most(s1, s2);
  return side + longer(side, square(most(least(w1, w2), T(0.0))));
}

}  // namespace pinn::shapes
