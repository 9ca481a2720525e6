#pragma once
#include "data/geometry/shapes/analytic.h"
#include "data/geometry/shapes/spelled.h"

namespace pinn::shapes {

using Maker = ShapePtr (*)(const Values<double>& values, int dimension);
using Speller = Spelled (*)(const Values<Spelled>& values, Place<Spelled> x);

/// A shape of the table: its arguments, how it is made of them, and how its distance is spelled.
struct Kind {
  ShapeKind kind;
  Maker make;
  Speller spell = nullptr;
};

/// The speller of a formula of analytic.h.
template <template <class> class Formula>
Spelled spell(const Values<Spelled>& values, Place<Spelled> x) {
  return Formula<Spelled>(values)(x);
}

/// The table, shelf by shelf.
std::vector<Kind> round_kinds();    ///< interval, disk, ball, annulus, shell
std::vector<Kind> cuboid_kinds();   ///< rectangle, cuboid
std::vector<Kind> corner_kinds();   ///< polygon
std::vector<Kind> simplex_kinds();  ///< triangle, tetrahedron, simplex
std::vector<Kind> swept_kinds();    ///< prism, revolution
std::vector<Kind> ellipse_kinds();  ///< ellipse, ellipsoid
std::vector<Kind> sector_kinds();
std::vector<Kind> axial_kinds();  ///< capsule, cylinder, cone
std::vector<Kind> torus_kinds();
std::vector<Kind> halfspace_kinds();
inline constexpr std::vector<Kind> (*shelves[])() = {
    round_kinds,   cuboid_kinds, corner_kinds, simplex_kinds, swept_kinds,
    ellipse_kinds, sector_kinds, axial_kinds,  torus_kinds,   halfspace_kinds};

/// The kind of that name. Errors: ConfigError
const Kind& find_kind(const std::string& name);

/// Holds the arguments against their kind: none too many, none missing, as many numbers as it
/// wants, in so many dimensions; and against what no number may be: infinite, or not one.
///
///   errors   ConfigError whose `where` is the argument's name
void check_counts(const ShapeKind& kind, const std::map<std::string, std::size_t>& counts,
                  int dimension);
void check_finite(const ShapeNumbers& numbers);

/// Throws the ConfigError about an argument.
[[noreturn]] void refuse(const std::string& argument, const std::string& what,
                         const std::string& fix);
/// Refuses a size that is not above 0.
void check_positive(const Values<double>& values, const std::string& argument);

}  // namespace pinn::shapes
