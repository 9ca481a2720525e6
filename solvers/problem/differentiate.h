#pragma once
#include <functional>
#include <vector>

#include "solvers/problem/expression.h"

namespace pinn {

/// The derivative by a coordinate of an expression; that of a field, or of a derivative of one, is
/// a derivative of the field, and unknowns, columns and normals count as constants. Exact; zeros
/// and ones are folded, and what is shared stays shared.
///
///   errors   InternalError when it has N, or what was before a window
ExpressionPtr differentiate(const ExpressionPtr& expression, int coordinate);

/// The expression with formulas of the coordinates in the place of fields (and of N, where given),
/// and every derivative carried out: with an exact solution in the place of the fields a residual
/// is 0.
///
///   fields   one per field of the problem; null where it stays: then derivatives are of fields
///   alone
ExpressionPtr substitute_fields(const ExpressionPtr& expression,
                                const std::vector<ExpressionPtr>& fields,
                                const ExpressionPtr& raw_output = nullptr);

/// The same with a function that makes the formula of a field: asked once, and only of fields that
/// appear.
using FieldFormulas = std::function<ExpressionPtr(int field)>;
ExpressionPtr with_fields(const ExpressionPtr& expression, const FieldFormulas& fields,
                          const ExpressionPtr& raw_output = nullptr);

/// The same with fields that stay, if there is a derivative of anything but a field; else null.
/// The result lives as long as the expression.
ExpressionPtr with_derivatives_carried_out(const Expression& expression);

/// An expression as a number type: the slopes of autograd/ops, called with formulas, give symbolic
/// derivatives. Zeros, ones and constants are folded, nothing else is simplified.
struct Formula {
  ExpressionPtr e;
  explicit Formula(double number);
  explicit Formula(ExpressionPtr expression) : e(std::move(expression)) {}
};

/// The op of that name of formulas.
Formula formula(const char* op, const Formula& a);
Formula formula(const char* op, const Formula& a, const Formula& b);

Formula operator+(const Formula& a, const Formula& b);
Formula operator-(const Formula& a, const Formula& b);
Formula operator*(const Formula& a, const Formula& b);
Formula operator/(const Formula& a, const Formula& b);
Formula operator-(const Formula& a);

// Functions that slopes call by name.
inline Formula square(const Formula& a) { return formula("square", a); }
inline Formula recip(const Formula& a) { return formula("recip", a); }
inline Formula sqrt(const Formula& a) { return formula("sqrt", a); }
inline Formula exp(const Formula& a) { return formula("exp", a); }
inline Formula log(const Formula& a) { return formula("log", a); }
inline Formula sin(const Formula& a) { return formula("sin", a); }
inline Formula cos(const Formula& a) { return formula("cos", a); }
inline Formula tan(const Formula& a) { return formula("tan", a); }
inline Formula atan(const Formula& a) { return formula("atan", a); }
inline Formula sinh(const Formula& a) { return formula("sinh", a); }
inline Formula cosh(const Formula& a) { return formula("cosh", a); }
inline Formula gaussian(const Formula& a) { return formula("gaussian", a); }
inline Formula erf(const Formula& a) { return formula("erf", a); }
inline Formula sech2(const Formula& a) { return formula("sech2", a); }
inline Formula tanh(const Formula& a) { return formula("tanh", a); }
inline Formula sigmoid(const Formula& a) { return formula("sigmoid", a); }
inline Formula softplus(const Formula& a) { return formula("softplus", a); }
inline Formula step(const Formula& a) { return formula("step", a); }
inline Formula sign(const Formula& a) { return formula("sign", a); }
inline Formula abs(const Formula& a) { return formula("abs", a); }
inline Formula pow(const Formula& a, const Formula& b) { return formula("pow", a, b); }
inline Formula power(const Formula& a, double p) { return formula("pow", a, Formula(p)); }
inline Formula less(const Formula& a, const Formula& b) { return formula("less", a, b); }
inline Formula less_equal(const Formula& a, const Formula& b) {
  return formula("less_equal", a, b);
}

}  // namespace pinn
