#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "solvers/problem/mistakes.h"
#include "solvers/problem/names.h"
#include "solvers/problem/problem.h"
#include "solvers/problem/words.h"

namespace pinn {

/// A formula of one number. Precedence is that of mathematics: -x^2 is -(x^2), a^b^c is a^(b^c), **
/// is ^; a comparison is 1 or 0. Names are read as `Scope` says; constants become numbers, and
/// whatever is made of numbers alone is computed.
///
///   errors   ConfigError with every mistake of the text (up to twenty), each with its place
ExpressionPtr parse_expression(const Text& text, const Scope& scope, Warnings& warnings);

/// Formula that must vanish: an expression, or `lhs = rhs`, which is lhs - rhs.
ExpressionPtr parse_residual(const Text& text, const Scope& scope, Warnings& warnings);

/// Names that the residuals of a requirement may use.
///
///   errors   ConfigError where `on` has other regions on its sides than its residuals ask for
Scope scope_of(const Requirement& requirement, const Problem& problem);

/// Comparisons of formulas joined by `and`; each is 1 where it holds and 0 elsewhere. Errors: as
/// above
std::vector<ExpressionPtr> parse_conditions(const Text& text, const Scope& scope);

/// A field, a define, or a derivative of one, by its name: u, u_xx; null for any other text.
/// Errors: ConfigError when a define cannot be differentiated so.
ExpressionPtr parse_quantity(const Text& name, const Problem& problem);

/// A formula of numbers and constants, such as "0.01/pi".
double parse_constant(const Text& text, const Problem& problem);

/// A constant in the middle of a text: the words [first, last) of it.
double parse_constant(const Text& text, const std::vector<Token>& words, std::size_t first,
                      std::size_t last, const Problem& problem);

/// A name and what it stands for, as the file has them.
struct Definition {
  Text name;
  Text text;
};

/// Fills problem.constants, in the order given; they may refer to one another in any order.
///
///   errors   ConfigError with every mistake: those of parse_constant, and circles
void declare_constants(const std::vector<Definition>& definitions, Problem& problem);

/// Fills problem.defines, in the order given; they may use everything a residual in the interior
/// may, and one another in any order. Coordinates, fields, constants and unknowns must be there
/// already.
///
///   errors   ConfigError with every mistake: those of parse_expression, and circles
void declare_defines(const std::vector<Definition>& definitions, Problem& problem,
                     Warnings& warnings);

/// A region of space as the file has it: a formula of others, or one that is made already.
struct RegionDefinition {
  Text name;
  Text formula;  ///< empty: `made` it is
  NamedRegion made = {};
  std::function<void(NamedRegion&)> then = nullptr;  ///< what is done with what a formula gives
};

/// Fills problem.regions, in the order given; formulas (+ union, - difference, * intersection,
/// `box` the box of space) may refer to one another in any order. Coordinates must be there
/// already.
///
///   errors   ConfigError with every mistake: spelling, unknown names, circles, nothing left
void declare_regions(const std::vector<RegionDefinition>& definitions, Problem& problem);

/// A number of a shape or a transform: fixed, or a formula of time and parameters.
struct ShapeNumber {
  double value = 0;
  ExpressionPtr formula = nullptr;  ///< null: fixed
};

/// Errors: ConfigError as of parse_constant; a formula of the place
ShapeNumber parse_shape_number(const Text& text, const Problem& problem);

/// A shape or a transform as a file has it (data/geometry/shape.h, motion.h).
struct ShapeText {
  std::string kind;
  std::map<std::string, std::vector<ShapeNumber>> arguments;
  std::vector<int> over = {};  ///< the coordinates that it speaks of; empty: all of space
};

/// A shape of the table, its distance beside it; and what a transform makes of a region.
///
///   errors   ConfigError whose `where` is the argument's name; of what moves it says when
NamedRegion make_region(const std::string& name, const ShapeText& shape, const Problem& problem);
NamedRegion box_region(const Problem& problem);

/// Region where conditions on coordinates hold. ConfigError as of parse_conditions, and if they
/// hold nowhere.
NamedRegion where_region(const std::string& name, const Text& conditions, const Problem& problem);

/// The body within a box of space where a formula of coordinates of space is negative. ConfigError
/// whose `where` is "lower" or "upper", "" for the formula; else with the place in the text.
NamedRegion implicit_region(const std::string& name, const Text& formula,
                            const std::vector<double>& lower, const std::vector<double>& upper,
                            const Problem& problem);
void move_region(NamedRegion& region, const ShapeText& motion, const Problem& problem);
void repeat_region(NamedRegion& region, const ShapeText& motion, const Problem& problem);

/// True if a region is points of a boundary and no more.
inline bool is_cloud(const Body& body) {
  return body.example().distance_kind() == DistanceKind::none && body.example().has_surface();
}

/// Checks the shapes of a body all over time and the parameters; ConfigErrors say where it was.
void require_everywhere(const Body& body, const Problem& problem,
                        const std::function<void(const SpatialShape&)>& check);

/// The distance to a region, or to `box`, as a formula of the coordinates; "" where there is none.
std::string distance_text(const Problem& problem, std::string_view name);

/// Sets problem.domain to a formula of its regions.
///
///   errors   ConfigError: as above; beyond the box, unbounded
void declare_domain(const Text& formula, Problem& problem);

/// The region that `on` names: a list of regions, all of one dimension, that do not overlap; each
/// is parts joined by `and`. A part is COORDINATE = CONSTANT, an inequality, the name of a region,
/// `initial` (t at its lower end), `boundary` (the domain's; of a box all faces in space that are
/// not periodic by embedding), `boundary(NAME)` (what of it lies on the surface of a region),
/// `surface(NAME)` (that surface in the domain), `interface(A, B)` (where two touch), or `not`
/// before a name, `boundary(NAME)` or an inequality. A region in exactly one face of space, or on a
/// surface, has its outward normal. Coordinates, constants, regions and `periodic` of the problem
/// must be there already.
///
///   errors   ConfigError: spelling, outside of the domain, empty, overlapping, mixed dimensions
std::shared_ptr<const Region> parse_region(const std::vector<Text>& on, const Problem& problem);

/// The whole domain; a box is open as far as points are concerned.
std::shared_ptr<const Region> interior(const Problem& problem);

/// The face of the domain at an end of a coordinate, with its normal if the coordinate is space.
std::shared_ptr<const Region> face(const Problem& problem, int coordinate, bool upper);

/// The expression as text that parse_expression reads as the same tree: defines are written out,
/// constants keep their names, derivatives of fields are u_xx where that can be read in one way
/// only.
std::string print(const Expression& expression, const Scope& scope);

}  // namespace pinn
