#include "solvers/problem/formula.h"

#include <array>
#include <cmath>

#include "solvers/problem/build.h"
#include "solvers/problem/values.h"

namespace pinn {
namespace {

bool is(const Formula& a, double value) { return is_constant(*a.e, value); }

}  // namespace

Formula::Formula(double number) : e(make_number(number)) {}

Formula formula(const char* op, const Formula& a) {
  if (!is_constant(*a.e)) return Formula(make_call(op, {a.e}));
  const double folded = op_value(op, std::array{a.e->number});
  return std::isfinite(folded) ? Formula(folded) : Formula(make_call(op, {a.e}));
}

Formula formula(const char* op, const Formula& a, const Formula& b) {
  if (!is_constant(*a.e) || !is_constant(*b.e)) return Formula(make_call(op, {a.e, b.e}));
  const double folded = op_value(op, std::array{a.e->number, b.e->number});
  return std::isfinite(folded) ? Formula(folded) : Formula(make_call(op, {a.e, b.e}));
}

Formula operator+(const Formula& a, const Formula& b) {
  return is(a, 0) ? b : is(b, 0) ? a : formula("add", a, b);
}
Formula operator-(const Formula& a, const Formula& b) {
  return is(b, 0) ? a : is(a, 0) ? -b : formula("sub", a, b);
}
Formula operator*(const Formula& a, const Formula& b) {
  if (is(a, 0) || is(b, 0)) return Formula(0);
  return is(a, 1) ? b : is(b, 1) ? a : formula("mul", a, b);
}
Formula operator/(const Formula& a, const Formula& b) {
  return is(a, 0) || is(b, 1) ? a : formula("div", a, b);
}
Formula operator-(const Formula& a) { return formula("neg", a); }

}  // namespace pinn
