#pragma once
#include <string>
#include <vector>

#include "autograd/graph/build.h"
#include "autograd/graph/graph.h"
#include "autograd/graph/rules.h"

/// Writing small graphs down. P stands for the number of points in shapes.
namespace pinn::test {

inline constexpr std::int64_t P = any_points;

inline int input(Graph& g, const std::string& name, Shape shape, DType dtype = DType::float64) {
  Value v;
  v.name = name;
  v.shape = shape;
  v.dtype = dtype;
  return g.add(std::move(v));
}

inline int constant(Graph& g, double number, Shape shape = {}, DType dtype = DType::float64) {
  return build::constant(g, number, shape, dtype);
}
inline int constants(Graph& g, std::vector<double> numbers, Shape shape) {
  Value v;
  v.op = Primitive::constant;
  v.shape = shape;
  v.numbers = std::move(numbers);
  return g.add(std::move(v));
}

/// A value of that op, with the dtype of its inputs; v holds what else there is to say.
inline int make(Graph& g, Primitive op, std::vector<int> inputs, Value v = {}) {
  v.op = op;
  v.dtype =
      op == Primitive::cast ? v.dtype : g.values[inputs[0] < 0 ? inputs.back() : inputs[0]].dtype;
  return build::redone(g, std::move(v), std::move(inputs));
}

template <class Op> int unary(Graph& g, int x) { return build::unary(g, unary_id<Op>, x); }
template <class Op> int binary(Graph& g, int x, int y) {
  return build::binary(g, binary_id<Op>, x, y);
}
inline int add(Graph& g, int x, int y) { return binary<op::Add>(g, x, y); }
inline int sub(Graph& g, int x, int y) { return binary<op::Sub>(g, x, y); }
inline int mul(Graph& g, int x, int y) { return binary<op::Mul>(g, x, y); }
inline int neg(Graph& g, int x) { return unary<op::Neg>(g, x); }
inline int where(Graph& g, int mask, int x, int y) {
  return make(g, Primitive::ternary, {mask, x, y});
}

inline Value along(int axis, std::int64_t begin = 0) {
  Value v;
  v.axis = axis;
  v.begin = begin;
  return v;
}
inline Value with_shape(Shape shape, Value v = {}) {
  v.shape = shape;
  return v;
}

// Unlike those of build.h these add a value even where it changes nothing.
inline int reshape(Graph& g, int x, Shape shape) {
  return make(g, Primitive::reshape, {x}, with_shape(shape));
}
inline int sum_to(Graph& g, int x, Shape shape) {
  return make(g, Primitive::sum_to, {x}, with_shape(shape));
}
inline int expand(Graph& g, int x, Shape shape) {
  return make(g, Primitive::expand, {x}, with_shape(shape));
}
inline int slice(Graph& g, int x, int axis, std::int64_t begin, std::int64_t end) {
  Shape shape = g.values[x].shape;
  shape[axis] = end - begin;
  return make(g, Primitive::slice, {x}, with_shape(shape, along(axis, begin)));
}
inline int embed(Graph& g, int x, Shape shape, int axis, std::int64_t begin) {
  return make(g, Primitive::embed, {x}, with_shape(shape, along(axis, begin)));
}
inline int concat(Graph& g, std::vector<int> parts, int axis) {
  return make(g, Primitive::concat, std::move(parts), along(axis));
}
inline int gather(Graph& g, int x, int axis, std::vector<std::int64_t> indices) {
  Value v = along(axis);
  v.indices = std::move(indices);
  return make(g, Primitive::gather, {x}, v);
}
inline int transpose(Graph& g, int x, int a, int b) {
  Value v = along(a);
  v.axis2 = b;
  return make(g, Primitive::transpose, {x}, v);
}
inline int cast(Graph& g, int x, DType dtype) {
  Value v;
  v.dtype = dtype;
  return make(g, Primitive::cast, {x}, v);
}
inline int matmul(Graph& g, int x, int w) { return make(g, Primitive::matmul, {x, w}); }
inline int contract(Graph& g, int x, int y) { return make(g, Primitive::contract, {x, y}); }
inline int linear(Graph& g, int x, int w, int b) { return make(g, Primitive::linear, {x, w, b}); }

template <class Op> int pullback(Graph& g, int x, int y, int dy) {
  Value v;
  v.function = unary_id<Op>;
  return make(g, Primitive::unary_pullback, {x, y, dy}, v);
}

inline Value on_jets(std::shared_ptr<const JetTable> table, int id = 0, int k = 0) {
  Value v;
  v.table = std::move(table);
  v.function = id;
  v.derivative = k;
  return v;
}

}  // namespace pinn::test
