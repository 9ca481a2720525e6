#include "autograd/graph/graph.h"

#include "autograd/core/error.h"
#include "autograd/graph/rules.h"

namespace pinn {
namespace {

[[noreturn]] void misfit(const std::string& what, const std::string& where) {
  throw InternalError({what, where, "report this as a bug of the program that traced it"});
}

void must_come_later_than_its_inputs(const Graph& graph, const Value& v) {
  for (const int i : v.inputs)
    if (i < -1 || i >= int(graph.values.size()))
      misfit(std::string(name_of(v.op)) + " refers to value %" + std::to_string(i) + " of " +
                 std::to_string(graph.values.size()),
             "");
}

/// All inputs have the dtype of the value; only a cast may change it.
void must_have_one_dtype(const Graph& graph, const Value& v) {
  if (v.op == Primitive::cast) return;
  DType dtype = v.dtype;
  for (const int i : v.inputs)
    if (i >= 0 && graph.values[i].dtype != dtype) {
      if (is_floating(dtype) && is_floating(graph.values[i].dtype))
        throw EngineError({spoken_name(v) + ": the tensors have different dtypes",
                           describe(graph, v), "cast() one of them"});
      misfit(std::string(name_of(v.op)) + " would change the dtype", describe(graph, v));
    }
}

std::vector<std::int64_t> ends_of_parts(const Graph& graph, const Value& concat) {
  std::vector<std::int64_t> ends;
  std::int64_t end = 0;
  for (const int part : concat.inputs)
    ends.push_back(end += graph.values[std::size_t(part)].shape[concat.axis]);
  return ends;
}

}  // namespace

std::optional<Elementwise> elementwise_of(const Value& v) {
  switch (v.op) {
    case Primitive::unary:
      return Elementwise{Elementwise::unary, v.function, v.parameter};
    case Primitive::unary_pullback:
      return Elementwise{Elementwise::unary_pullback, v.function, v.parameter};
    case Primitive::binary:
      return Elementwise{Elementwise::binary, v.function};
    case Primitive::ternary:
      return Elementwise{Elementwise::ternary, v.function};
    case Primitive::cast:
    case Primitive::expand:
      return Elementwise{};
    default:
      return {};
  }
}

int Graph::add(Value v) {
  must_come_later_than_its_inputs(*this, v);
  const Shape shape = shape_of(*this, v);
  must_have_one_dtype(*this, v);
  if (!(v.shape == shape))
    misfit(std::string(name_of(v.op)) + " gives " + points_text(shape) + ", not " +
               points_text(v.shape),
           describe(*this, v));
  v.extent = extent_of(*this, v);
  if (v.op == Primitive::concat) v.indices = ends_of_parts(*this, v);
  values.push_back(std::move(v));
  return int(values.size()) - 1;
}

}  // namespace pinn
