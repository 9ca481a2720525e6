// Products.
#include "autograd/program/lowering.h"

#include "autograd/core/error.h"

namespace pinn {

Cells Lowering::product(const Value& v) {
  const Value& x = input_of(v, 0);
  const Channels in(x), out(v);
  if (!is_row(x)) {
    Cells y = small_product(of(v, 0), in.channels, in.features, of(v, 1), out.features);
    if (v.op == Primitive::linear) refuse(v, "of a jet that is the same at all points");
    return y;
  }
  Instruction p;
  p.opcode = Opcode::product;
  p.channels = in.channels;
  p.k = in.features;
  p.n = out.features;
  p.a = {Memory::lane, regular_lanes(of(v, 0), in.channels, in.features), 1};
  Weights w = weights_of(of(v, 1), in.features, out.features);
  if (v.op == Primitive::linear) {
    const Weights bias = weights_of(of(v, 2), 1, out.features);
    w.bias = bias.at;
    w.bias_stride = bias.column;
  }
  p.weights = int(program_.weights.size());
  program_.weights.push_back(w);
  const Cells lanes = new_places(Memory::lane, out.channels * out.features);
  p.out = {Memory::lane, lanes[0].at, 1};
  p.count = out.channels * out.features;
  program_.body.push_back(p);
  return places_of_lanes(lanes[0].at, out.channels, out.features);
}

Cells Lowering::contraction(const Value& v) {
  const Value &x = input_of(v, 0), &g = input_of(v, 1);
  const Channels a(is_row(x) ? x : g), left(x), right(g);
  if (!is_row(x) && !is_row(g)) {
    Cells transposed;
    for (const int i : by_features(left.channels, left.features))
      transposed.push_back(of(v, 0)[std::size_t(i)]);
    return small_product(transposed, left.features, left.channels, of(v, 1), right.features);
  }
  Instruction c;
  c.opcode = Opcode::contract;
  c.channels = a.channels;
  c.k = left.features;
  c.n = right.features;
  c.a = {Memory::lane, regular_lanes(of(v, 0), a.channels, c.k), 1};
  c.b = {Memory::lane, regular_lanes(of(v, 1), a.channels, c.n), 1};
  const Cells sums = new_places(Memory::sum, c.k * c.n);
  c.out = {Memory::sum, sums[0].at, 1};
  c.count = c.k * c.n;
  program_.body.push_back(c);
  return sums;
}

Cells Lowering::small_product(const Cells& x, int m, int k, const Cells& w, int n) {
  std::vector<int> order;
  for (int i = 0; i < m * n; ++i) order.push_back(i);
  Cells y(std::size_t(m * n), number(0));
  for (int l = 0; l < k; ++l) {
    Cells left, right;
    for (int i = 0; i < m * n; ++i) {
      left.push_back(x[std::size_t(i / n * k + l)]);
      right.push_back(w[std::size_t(l * n + i % n)]);
    }
    const Cells term = elementwise(binary_function<op::Mul>, left, right, {}, order);
    y = elementwise(binary_function<op::Add>, y, term, {}, order);
  }
  return y;
}

Weights Lowering::weights_of(const Cells& w, int k, int n) {
  for (const Cell& p : w)
    if (p.memory != Memory::fixed)
      throw EngineError({"a compiled step cannot use a sum over the points as weights", "matmul",
                         "run it in two steps"});
  Weights out{w[0].at, 0, 0, k, n, -1, 1};
  if (k > 1) out.row = w[std::size_t(n)].at - w[0].at;
  if (n > 1) out.column = w[1].at - w[0].at;
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < n; ++j)
      if (w[std::size_t(i * n + j)].at != out.at + i * out.row + j * out.column) {
        const Cells together = new_places(Memory::fixed, k * n);
        emit_runs(Instruction(), together, w, {}, {});
        return {together[0].at, n, 1, k, n, -1, 1};
      }
  return out;
}

}  // namespace pinn
