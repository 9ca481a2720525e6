#pragma once
#include "autograd/onnx/nodes.h"
#include "autograd/ops/unary.h"

/// The formulas of ops (autograd/ops) and the algebra of jets are templates over the number type:
/// applied to Num they make the nodes of a graph. ONNX leaves it to a runtime which ops it has for
/// which numbers; what onnxruntime lacks in float64 is made of what it has.
namespace pinn::onnx {

/// A comparison of two numbers, by an op of ONNX.
struct Condition {
  const char* op;
  Num a, b;
};

Num operator+(const Num& a, const Num& b);
Num operator-(const Num& a, const Num& b);
Num operator*(const Num& a, const Num& b);
Num operator/(const Num& a, const Num& b);
Num operator-(const Num& a);
inline Condition operator<(const Num& a, const Num& b) { return {"Less", a, b}; }
inline Condition operator<=(const Num& a, const Num& b) { return {"LessOrEqual", a, b}; }
inline Condition operator==(const Num& a, const Num& b) { return {"Equal", a, b}; }
Num select(const Condition& c, const Num& a, const Num& b);

// Functions that formulas call, found by argument.
Num exp(const Num& x);
Num tanh(const Num& x);
Num sech2(const Num& x);
Num sin(const Num& x);
Num cos(const Num& x);
Num abs(const Num& x);
Num floor(const Num& x);
Num sqrt(const Num& x);
Num log(const Num& x);
Num log1p(const Num& x);  ///< of x > -1
Num tan(const Num& x);
Num atan(const Num& x);
Num sinh(const Num& x);
Num cosh(const Num& x);
Num erf(const Num& x);
Num atan2(const Num& y, const Num& x);
Num pow(const Num& a, const Num& b);

}  // namespace pinn::onnx

template <> inline constexpr bool pinn::is_number<pinn::onnx::Num> = true;

template <> inline pinn::onnx::Num pinn::op::Sech2::value(pinn::onnx::Num x) {
  return pinn::onnx::sech2(x);
}
