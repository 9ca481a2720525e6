#pragma once
#include "data/geometry/motion.h"
#include "data/geometry/shapes/outline.h"
#include "data/geometry/shapes/values.h"

namespace pinn::shapes {

/// The motion that takes the origin to a place and the last coordinate's direction to that of an
/// axis: the least turn that does so.
Motion onto(const std::vector<double>& origin, std::vector<double> axis);

/// A place by how far it lies along an axis from a point, and how far off it.
template <class T> struct AxialPlace { T along, off; };
/// In up to three dimensions; `axis` has length 1.
template <class T>
AxialPlace<T> axial(Place<T> x, const std::vector<T>& from, const std::vector<T>& axis) {
  T way[3] = {}, along = (x[0] - from[0]) * axis[0];
  for (std::size_t k = 1; k < x.size(); ++k) along = along + (x[k] - from[k]) * axis[k];
  for (std::size_t k = 0; k < x.size(); ++k) way[k] = x[k] - from[k] - along * axis[k];
  return {along, length(Place<T>(way, x.size()))};
}

template <class T> std::vector<T> unit(std::vector<T> a) {
  const T size = length(Place<T>(a));
  for (T& c : a) c = c / size;
  return a;
}

/// An outline of distance and height that turns about the last axis of space by an angle, from the
/// first axis on; 2 pi is all around.
ShapePtr make_turned(Outline outline, double angle);

}  // namespace pinn::shapes
