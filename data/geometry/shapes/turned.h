#pragma once
#include "data/geometry/shapes/outline.h"

namespace pinn::shapes {

/// An outline of distance and height that turns about the last axis of space by an angle, from the
/// first axis on; 2 pi is all around.
ShapePtr make_turned(Outline outline, double angle);

}  // namespace pinn::shapes
