#include "tests/autograd/graph/evaluate.h"

#include "autograd/tape/body.h"
#include "autograd/tape/primitives/primitives.h"

namespace pinn::test {
namespace evaluation {
namespace {

/// A value to be computed: how it is made, its shape for so many points, and its inputs.
struct Step {
  const Value& v;
  Shape shape;
  std::vector<Tensor> in;
  const Inputs& given;
};

Tensor input(const Step& s) { return s.given.at(s.v.name); }

Tensor constant(const Step& s) {
  if (s.v.numbers.size() == 1) return full(s.shape, s.v.numbers[0], s.v.dtype);
  return from_values(s.v.numbers, s.shape, s.v.dtype);
}

Tensor unary(const Step& s) { return primitive::unary(s.v.function, s.v.parameter, s.in[0]); }
Tensor unary_pullback(const Step& s) {
  const Tensor y = s.in[1].defined() ? contiguous_data(s.in[1]) : s.in[1];
  return primitive::unary_pullback(s.v.function, s.v.parameter, s.in[0], y, s.in[2]);
}
Tensor binary(const Step& s) { return primitive::binary(s.v.function, s.in[0], s.in[1]); }
Tensor ternary(const Step& s) {
  return primitive::ternary(s.v.function, s.in[0], s.in[1], s.in[2]);
}
Tensor cast(const Step& s) { return primitive::cast(s.in[0], s.v.dtype); }

Tensor sum_to(const Step& s) { return primitive::sum_to(s.in[0], s.shape); }

Tensor reshape(const Step& s) { return primitive::reshape(s.in[0], s.shape); }
Tensor transpose(const Step& s) { return primitive::transpose(s.in[0], s.v.axis, s.v.axis2); }
Tensor slice(const Step& s) {
  return primitive::slice(s.in[0], s.v.axis, s.v.begin, s.v.begin + s.shape[s.v.axis]);
}
Tensor expand(const Step& s) { return primitive::expand(s.in[0], s.shape); }
Tensor embed(const Step& s) { return primitive::embed(s.in[0], s.shape, s.v.axis, s.v.begin); }
Tensor concat(const Step& s) { return primitive::concat(s.in, s.v.axis); }
Tensor gather(const Step& s) { return primitive::gather(s.in[0], s.v.axis, s.v.indices); }

Tensor matmul(const Step& s) { return primitive::matmul(s.in[0], s.in[1]); }
Tensor contract(const Step& s) { return primitive::contract(s.in[0], s.in[1]); }
Tensor linear(const Step& s) { return primitive::linear(s.in[0], s.in[1], s.in[2]); }

Tensor jet(const Step& s) {
  return primitive::jet(s.v.function, s.v.parameter, s.v.derivative, s.v.table, s.in[0]);
}
Tensor jet_pullback(const Step& s) {
  return primitive::jet_pullback(s.v.function, s.v.parameter, s.v.derivative, s.v.table, s.in[0],
                                 s.in[1]);
}
Tensor jet_mul(const Step& s) { return primitive::jet_mul(s.v.table, false, s.in[0], s.in[1]); }
Tensor jet_mul_transposed(const Step& s) {
  return primitive::jet_mul(s.v.table, true, s.in[0], s.in[1]);
}

Tensor round(const Step& s) { return primitive::round(float_formats[s.v.format], s.in[0]); }

using Evaluation = Tensor (*)(const Step&);
/// In the order of Primitive.
constexpr Evaluation evaluations[] = {
    input,    constant,
    unary,    unary_pullback,
    binary,   ternary,
    cast,     sum_to,
    reshape,  transpose,
    slice,    expand,
    embed,    concat,
    gather,   matmul,
    contract, linear,
    jet,      jet_pullback,
    jet_mul,  jet_mul_transposed,
    round,
};
static_assert(std::size(evaluations) == std::size_t(Primitive::round) + 1);

Shape with_points(Shape shape, std::int64_t points) {
  if (shape.rank() > 0 && shape[0] == any_points) shape[0] = points;
  return shape;
}

}  // namespace
}  // namespace evaluation

std::vector<Tensor> values_of(const Graph& graph, const Inputs& inputs, std::int64_t points) {
  std::vector<Tensor> made;
  for (const Value& v : graph.values) {
    evaluation::Step step{v, evaluation::with_points(v.shape, points), {}, inputs};
    for (const int i : v.inputs) step.in.push_back(i < 0 ? Tensor() : made[i]);
    made.push_back(evaluation::evaluations[int(v.op)](step));
  }
  return made;
}

std::vector<Tensor> outputs_of(const Graph& graph, const Inputs& inputs, std::int64_t points) {
  const std::vector<Tensor> made = values_of(graph, inputs, points);
  std::vector<Tensor> outputs;
  for (const int i : graph.outputs) outputs.push_back(made[i]);
  return outputs;
}

}  // namespace pinn::test
