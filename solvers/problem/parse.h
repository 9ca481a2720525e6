#pragma once
#include "solvers/problem/lexer.h"
#include "solvers/problem/names.h"

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

}  // namespace pinn
