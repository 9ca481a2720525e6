#pragma once
#include "data/geometry/shape.h"

namespace pinn {

/// A transform as a file has it, its numbers computed. Kinds, and their arguments:
///
///   move     by, a number per coordinate
///   rotate   angle; axis, in three dimensions; about, a place, default the origin
///   scale    factor, above 0; about
///   mirror   coordinate, its number from 0: its sign is reversed; about
struct MotionNumbers {
  std::string kind;
  std::map<std::string, std::vector<double>> arguments;
};

/// Transforms, first to last, as one.
///
///   errors   ConfigError whose `where` is the argument's name
Motion motion_of(const std::vector<MotionNumbers>& terms, int dimension);

/// Position of a place before one transform, as formulas of formulas, and by how much it enlarges
/// distances: the distance to what was moved is the factor times the distance from there.
struct SpelledMotion {
  std::vector<std::string> coordinates;
  std::string factor;
};
SpelledMotion spelled_before(const std::string& kind,
                             const std::map<std::string, std::vector<std::string>>& arguments,
                             const std::vector<std::string>& coordinates);

/// Position of a place before a motion of numbers.
std::vector<std::string> spelled_before(const Motion& motion,
                                        const std::vector<std::string>& coordinates);

/// First one, then the other.
Motion joined(const Motion& first, const Motion& then);

/// Sampler of what another one draws, moved; `measured` dimensions grow with the scale.
std::shared_ptr<const Sampler> moved(std::shared_ptr<const Sampler> sampler, const Motion& motion,
                                     int measured);

/// `count` copies, each moved by so much from the one before: one shape.
///
///   errors   ConfigError for a count below 1
ShapePtr repeated(const ShapePtr& shape, int count, const std::vector<double>& by);

}  // namespace pinn
