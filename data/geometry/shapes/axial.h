#pragma once
#include "data/geometry/shapes/frame.h"

/// Distances of what stands around a line from one place to another.
namespace pinn::shapes {

/// From, to and what follows of them.
template <class T> struct Axis {
  std::vector<T> from, direction;
  T size;
  explicit Axis(const Values<T>& a)
      : from(a.numbers("from")),
        direction(between(Place<T>(a.numbers("from")), Place<T>(a.numbers("to")))),
        size(length(Place<T>(direction))) {
    for (T& c : direction) c = c / size;
  }
  AxialPlace<T> of(Place<T> x) const { return axial(x, from, direction); }
};

/// The distance to a line from end to end, less the radius.
template <class T> struct CapsuleDistance {
  Axis<T> axis;
  T radius;
  explicit CapsuleDistance(const Values<T>& a) : axis(a), radius(a.number("radius")) {}
  T operator()(Place<T> x) const {
    const auto [along, off] = axis.of(x);
    const T past = most(most(-along, along - axis.size), T(0.0));
    return root(square(past) + square(off)) - radius;
  }
};

template <class T> struct CylinderDistance {
  Axis<T> axis;
  T radius;
  explicit CylinderDistance(const Values<T>& a) : axis(a), radius(a.number("radius")) {}
  T operator()(Place<T> x) const {
    const auto [along, off] = axis.of(x);
    const T beyond[] = {off - radius, most(-along, along - axis.size)};
    return box_rule(Place<T>(beyond));
  }
};

/// By the two corners of the outline that turns about the axis; it is convex.
template <class T> struct ConeDistance {
  Axis<T> axis;
  T first, last, across, up;  ///< the radii, and the direction of the side between them
  explicit ConeDistance(const Values<T>& a)
      : axis(a), first(a.numbers("radii")[0]), last(a.numbers("radii")[1]) {
    const T size = root(square(last - first) + square(axis.size));
    across = (last - first) / size;
    up = axis.size / size;
  }
  T operator()(Place<T> x) const {
    const auto [along, off] = axis.of(x);
    const T side = (off - first) * up - along * across;
    const T low = corner_rule(-along, off - first, side, (first - off) * across - along * up);
    const T high = along - axis.size;
    return most(low, corner_rule(side, (off - last) * across + high * up, high, off - last));
  }
};

}  // namespace pinn::shapes
