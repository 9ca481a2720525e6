#include "autograd/graph/build.h"

#include "autograd/graph/rules.h"

namespace pinn::build {
namespace {

Value made_of(const Graph& graph, Primitive op, std::vector<int> inputs) {
  Value v;
  v.op = op;
  v.dtype = graph.values[inputs[0]].dtype;
  v.shape = graph.values[inputs[0]].shape;
  v.inputs = std::move(inputs);
  return v;
}

int with_its_shape(Graph& graph, Value v) {
  v.shape = shape_of(graph, v);
  return graph.add(std::move(v));
}

/// x in another shape, by an op that has nothing to do when it has that shape already.
int in_shape(Graph& graph, Primitive op, int x, Shape shape) {
  if (graph.values[x].shape == shape) return x;
  Value v = made_of(graph, op, {x});
  v.shape = shape;
  return graph.add(std::move(v));
}

}  // namespace

int constant(Graph& graph, double number, Shape shape, DType dtype) {
  Value v;
  v.op = Primitive::constant;
  v.shape = shape;
  v.dtype = dtype;
  v.numbers = {number};
  return graph.add(std::move(v));
}

int unary(Graph& graph, int id, int x) {
  Value v = made_of(graph, Primitive::unary, {x});
  v.function = id;
  return graph.add(std::move(v));
}

int binary(Graph& graph, int id, int x, int y) {
  Value v = made_of(graph, Primitive::binary, {x, y});
  v.function = id;
  return with_its_shape(graph, std::move(v));
}

int reshaped(Graph& graph, int x, Shape shape) {
  return in_shape(graph, Primitive::reshape, x, shape);
}
int summed(Graph& graph, int x, Shape shape) {
  return in_shape(graph, Primitive::sum_to, x, shape);
}
int expanded(Graph& graph, int x, Shape shape) {
  return in_shape(graph, Primitive::expand, x, shape);
}

int sliced(Graph& graph, int x, int axis, std::int64_t begin, std::int64_t size) {
  if (graph.values[x].shape[axis] == size) return x;
  Value v = made_of(graph, Primitive::slice, {x});
  v.shape[axis] = size;
  v.axis = axis;
  v.begin = begin;
  return graph.add(std::move(v));
}

int embedded(Graph& graph, int x, Shape shape, int axis, std::int64_t begin) {
  if (graph.values[x].shape == shape) return x;
  Value v = made_of(graph, Primitive::embed, {x});
  v.shape = shape;
  v.axis = axis;
  v.begin = begin;
  return graph.add(std::move(v));
}

int concatenated(Graph& graph, std::vector<int> parts, int axis) {
  if (parts.size() == 1) return parts[0];
  Value v = made_of(graph, Primitive::concat, std::move(parts));
  v.axis = axis;
  return with_its_shape(graph, std::move(v));
}

int redone(Graph& graph, Value v, std::vector<int> inputs) {
  v.inputs = std::move(inputs);
  return with_its_shape(graph, std::move(v));
}

}  // namespace pinn::build
