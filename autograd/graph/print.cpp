#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "autograd/graph/graph.h"
#include "autograd/graph/rules.h"
#include "autograd/ops/float_format.h"

namespace pinn {
namespace {

std::string size_text(std::int64_t n) {
  if (n == 0 || n % any_points != 0) return std::to_string(n);
  return n == any_points ? "P" : std::to_string(n / any_points) + "P";
}

std::string type_text(const Value& v) {
  return fmt::format("{} {} {}", name_of(v.dtype), points_text(v.shape), name_of(v.extent));
}

std::string numbers_text(const std::vector<double>& numbers) {
  constexpr std::size_t shown = 8;
  if (numbers.size() == 1) return fmt::format("{}", numbers[0]);
  if (numbers.size() <= shown) return fmt::format("[{}]", fmt::join(numbers, ", "));
  return fmt::format("[{}, ... {} numbers]",
                     fmt::join(numbers.begin(), numbers.begin() + shown, ", "), numbers.size());
}

/// "tanh", or "power(3)"
std::string unary_text(const Value& v) {
  const bool has_parameter = visit_unary(v.function, []<class Op>() { return Op::has_parameter; });
  return has_parameter ? fmt::format("{}({})", unary_name(v.function), v.parameter)
                       : std::string(unary_name(v.function));
}

/// " 1 0": how often by each input.
std::string orders_text(const Value& v) {
  std::string text;
  for (std::size_t i = 0; i < v.inputs.size(); ++i) text += fmt::format(" {}", int(v.order[i]));
  return text;
}

/// The op by the name a reader knows it by, and what it needs to know besides its inputs.
std::string op_text(const Value& v) {
  const char* name = name_of(v.op);
  switch (v.op) {
    case Primitive::input:
      return fmt::format("input '{}'", v.name);
    case Primitive::constant:
      return fmt::format("constant {}", numbers_text(v.numbers));
    case Primitive::unary:
      return unary_text(v);
    case Primitive::unary_pullback:
      return fmt::format("pullback of {}", unary_text(v));
    case Primitive::binary:
    case Primitive::ternary:
      return std::string(name_of_op(*elementwise_of(v)));
    case Primitive::transpose:
      return fmt::format("{}(axes {} and {})", name, v.axis, v.axis2);
    case Primitive::slice:
      return fmt::format("{}(axis {}, {} to {})", name, v.axis, v.begin, v.begin + v.shape[v.axis]);
    case Primitive::embed:
      return fmt::format("{}(axis {}, from {})", name, v.axis, v.begin);
    case Primitive::concat:
      return fmt::format("{}(axis {})", name, v.axis);
    case Primitive::gather:
      return fmt::format("{}(axis {}, {})", name, v.axis, fmt::join(v.indices, " "));
    case Primitive::round:
      return fmt::format("{} to {}", name, float_formats[v.format].name);
    case Primitive::lookup:
      return fmt::format("{} '{}'{}", name, v.source->name(), orders_text(v));
    case Primitive::jet:
    case Primitive::jet_pullback:
      return fmt::format("{}({}{})", name, unary_text(v),
                         std::string(std::size_t(v.derivative), '\''));
    default:
      return name;
  }
}

/// "matmul %3 %5"
std::string call_text(const Value& v) {
  std::string text = op_text(v);
  for (const int i : v.inputs) text += i < 0 ? " -" : fmt::format(" %{}", i);
  return text;
}

const char* color_of(Extent extent) {
  return extent == Extent::row ? "lightblue" : extent == Extent::sum ? "lightsalmon" : "lightgray";
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

const char* name_of(Extent extent) {
  constexpr const char* names[] = {"row", "fixed", "sum"};
  return names[int(extent)];
}

std::string points_text(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank(); ++i) text += (i ? ", " : "") + size_text(shape[i]);
  return text + "]";
}

std::string spoken_name(const Value& v) {
  const int ops = v.op == Primitive::unary     ? Unary::size
                  : v.op == Primitive::binary  ? Binary::size
                  : v.op == Primitive::ternary ? Ternary::size
                                               : 0;
  return v.function >= 0 && v.function < ops ? std::string(name_of_op(*elementwise_of(v)))
                                             : name_of(v.op);
}

std::string describe(const Graph& graph, const Value& v) {
  std::string text = spoken_name(v);
  for (std::size_t n = 0; n < v.inputs.size(); ++n)
    text += (n == 0                     ? " of "
             : n + 1 == v.inputs.size() ? " and "
                                        : ", ") +
            (v.inputs[n] < 0 ? "none" : type_text(graph.values[v.inputs[n]]));
  return text;
}

std::string to_text(const Graph& graph) {
  std::string text;
  for (std::size_t i = 0; i < graph.values.size(); ++i)
    text +=
        fmt::format("%{} = {} : {}\n", i, call_text(graph.values[i]), type_text(graph.values[i]));
  text += "outputs";
  for (const int i : graph.outputs) text += fmt::format(" %{}", i);
  return text + "\n";
}

std::string to_dot(const Graph& graph) {
  std::string text = "digraph step {\n  node [shape=box, style=filled];\n";
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const Value& v = graph.values[i];
    text +=
        fmt::format("  v{} [label=\"%{} {}\\n{} {}\", fillcolor={}];\n", i, i, escaped(op_text(v)),
                    name_of(v.dtype), points_text(v.shape), color_of(v.extent));
    for (const int from : v.inputs)
      if (from >= 0) text += fmt::format("  v{} -> v{};\n", from, i);
  }
  for (std::size_t n = 0; n < graph.outputs.size(); ++n)
    text +=
        fmt::format("  out{} [label=\"output {}\", shape=plain, style=\"\"];\n  v{} -> out{};\n", n,
                    n, graph.outputs[n], n);
  return text + "}\n";
}

}  // namespace pinn
