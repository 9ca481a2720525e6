#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/graph/rules.h"

namespace pinn {
namespace {

[[noreturn]] void refuse(const Graph& graph, const Value& v, const std::string& what,
                         const char* fix) {
  throw EngineError({what, describe(graph, v), fix});
}

/// Fault of an op that does not leave the points' axis of a row alone.
std::string trespass(const Value& v) {
  switch (v.op) {
    case Primitive::slice:
      return "slice would take only some of the points";
    case Primitive::gather:
      return "gather would pick among the points";
    case Primitive::embed:
      return "embed would put rows among other points";
    case Primitive::concat:
      return "concat would put points after points";
    case Primitive::transpose:
      return "transpose would move the points' axis";
    case Primitive::reshape:
      return "reshape would change the points' axis";
    default:
      return spoken_name(v) + " would move the points' axis";
  }
}

[[noreturn]] void refuse_trespass(const Graph& graph, const Value& v) {
  refuse(graph, v, trespass(v), "leave the first axis of a row as it is, or run this step eagerly");
}

bool has_input(const Graph& graph, const Value& v, Extent extent) {
  return std::any_of(v.inputs.begin(), v.inputs.end(),
                     [&](int i) { return i >= 0 && graph.values[i].extent == extent; });
}

/// True if v works along the first axis, and not so that nothing changes.
bool works_along_points(const Graph& graph, const Value& v) {
  switch (v.op) {
    case Primitive::transpose:
      return v.axis != v.axis2 && (v.axis == 0 || v.axis2 == 0);
    case Primitive::slice:
    case Primitive::embed:
    case Primitive::concat:
      return v.axis == 0 && !(graph.values[v.inputs[0]].shape == v.shape);
    case Primitive::gather:
      return v.axis == 0;
    default:
      return false;
  }
}

void must_leave_points_alone(const Graph& graph, const Value& v, bool rows) {
  const bool adds_up = v.op == Primitive::sum_to || v.op == Primitive::contract;
  bool moved = rows && !is_row(v.shape) && !adds_up;
  for (int i = 1; i < v.shape.rank(); ++i) moved |= v.shape[i] == any_points;
  if (moved || ((rows || is_row(v.shape)) && works_along_points(graph, v)))
    refuse_trespass(graph, v);
}

void must_have_fixed_weights(const Graph& graph, const Value& v) {
  if (v.op != Primitive::matmul && v.op != Primitive::linear) return;
  for (std::size_t i = 1; i < v.inputs.size(); ++i)
    if (graph.values[v.inputs[i]].extent == Extent::row)
      refuse(graph, v, spoken_name(v) + " has a weight that differs from point to point",
             "multiply elementwise and sum over an axis");
}

}  // namespace

Extent extent_of(const Graph& graph, const Value& v) {
  const bool rows = has_input(graph, v, Extent::row), sums = has_input(graph, v, Extent::sum);
  must_have_fixed_weights(graph, v);
  must_leave_points_alone(graph, v, rows);
  if (!is_row(v.shape)) return rows || sums ? Extent::sum : Extent::fixed;
  if (sums)
    refuse(graph, v, spoken_name(v) + " makes a row that depends on a sum over the points",
           "sum over the points last, or run this step eagerly");
  return Extent::row;
}

}  // namespace pinn
