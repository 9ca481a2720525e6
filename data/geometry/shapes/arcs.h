#pragma once
#include "data/geometry/shapes/outline.h"

/// Pieces of surfaces that are round, and what turns about an axis.
namespace pinn::shapes {

/// A part of a circle from one angle to another, outward.
SamplerPtr arc_piece(Corner center, double radius, double from, double to);

/// Surface that a straight line sweeps that turns about the last axis of space, by an angle from
/// the first: from and to are its distance from the axis and its height. Outward is to the right of
/// its way.
SamplerPtr turned_line(Corner from, Corner to, double angle);

/// The inside of an outline that turns about the last axis; x is the distance from it.
SamplerPtr turned_interior(std::shared_ptr<const Outline> outline, double angle);

}  // namespace pinn::shapes
