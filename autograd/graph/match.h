#pragma once
#include <optional>

#include "autograd/graph/graph.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"

/// What a rule asks of the values it looks at.
namespace pinn::match {

inline const Value& input(const Graph& g, const Value& v, int i) { return g.values[v.inputs[i]]; }

template <class Op> bool is_unary(const Value& v) {
  return v.op == Primitive::unary && v.id == unary_id<Op>;
}
template <class Op> bool is_binary(const Value& v) {
  return v.op == Primitive::binary && v.id == binary_id<Op>;
}

/// The number that a constant holds everywhere.
inline std::optional<double> number(const Value& v) {
  if (v.op != Primitive::constant || v.numbers.size() != 1) return {};
  return v.numbers[0];
}
inline bool is_constant(const Graph& g, int i, double c) { return number(g.values[i]) == c; }

}  // namespace pinn::match
