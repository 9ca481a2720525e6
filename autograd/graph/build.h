#pragma once
#include <optional>

#include <utility>

#include "autograd/graph/graph.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"

/// How passes make values. What would change nothing is not added: the value itself is returned.
namespace pinn::build {

/// A constant with one number everywhere.
int constant(Graph& graph, double number, Shape shape, DType dtype);
int unary(Graph& graph, int id, int x);
int binary(Graph& graph, int id, int x, int y);
int reshaped(Graph& graph, int x, Shape shape);
int summed(Graph& graph, int x, Shape shape);
int expanded(Graph& graph, int x, Shape shape);
int sliced(Graph& graph, int x, int axis, std::int64_t begin, std::int64_t size);
int embedded(Graph& graph, int x, Shape shape, int axis, std::int64_t begin);
int concatenated(Graph& graph, std::vector<int> parts, int axis);
/// v's op on other inputs, with the shape that follows from them.
int redone(Graph& graph, Value v, std::vector<int> inputs);

/// A graph made from another, value by value: `f(out, v)` gets each value with its inputs as they
/// are called in `out`, and returns which value of `out` stands for it, -1 if none is needed.
template <class F> Graph mapped(Graph graph, F&& f) {
  Graph out;
  out.values.reserve(graph.values.size());
  std::vector<int> now;
  now.reserve(graph.values.size());
  for (Value& v : graph.values) {
    for (int& i : v.inputs)
      if (i >= 0) i = now[i];
    now.push_back(f(out, std::move(v)));
  }
  for (const int i : graph.outputs) out.outputs.push_back(now[i]);
  return out;
}

}  // namespace pinn::build

/// Queries of a rule about the values it looks at.
namespace pinn::match {

inline const Value& input(const Graph& g, const Value& v, int i) { return g.values[v.inputs[i]]; }

template <class Op> bool is_unary(const Value& v) {
  return v.op == Primitive::unary && v.function == unary_id<Op>;
}
template <class Op> bool is_binary(const Value& v) {
  return v.op == Primitive::binary && v.function == binary_id<Op>;
}

/// The number that a constant holds everywhere.
inline std::optional<double> number(const Value& v) {
  if (v.op != Primitive::constant || v.numbers.size() != 1) return {};
  return v.numbers[0];
}
inline bool is_constant(const Graph& g, int i, double c) { return number(g.values[i]) == c; }

}  // namespace pinn::match
