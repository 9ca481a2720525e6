#pragma once
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

/// What must vanish: an expression, or `lhs = rhs`, which is lhs - rhs.
ExpressionPtr parse_residual(const Text& text, const Scope& scope, Warnings& warnings);

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

/// The region that `on` names: a list of regions, all of one dimension, that do not overlap; each
/// is parts joined by `and`, a part is COORDINATE = CONSTANT, an inequality, `boundary` (all faces
/// in space that are not periodic by embedding) or `initial` (t at its lower end). A region in
/// exactly one face of space has its outward normal. Coordinates, constants and `periodic` of the
/// problem must be there already.
///
///   errors   ConfigError: spelling, outside of the domain, empty, overlapping, mixed dimensions
std::shared_ptr<const Region> parse_region(const std::vector<Text>& on, const Problem& problem);

/// The whole domain, an open box as far as points are concerned.
std::shared_ptr<const Region> interior(const Problem& problem);

/// The face of the domain at an end of a coordinate, with its normal if the coordinate is space.
std::shared_ptr<const Region> face(const Problem& problem, int coordinate, bool upper);

/// The expression as text that parse_expression reads as the same tree: defines are written out,
/// constants keep their names, derivatives of fields are u_xx where that can be read in one way
/// only.
std::string print(const Expression& expression, const Scope& scope);

}  // namespace pinn
