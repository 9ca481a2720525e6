// Jets.
#include "autograd/program/lowering.h"

namespace pinn {
namespace {

/// One channel [features] of an operand, repeated where it has but one feature.
Cells channel_of(const Cells& x, const Channels& own, int channel, int features) {
  Cells one;
  for (int f = 0; f < features; ++f)
    one.push_back(x[std::size_t(channel * own.features + (own.features == 1 ? 0 : f))]);
  return one;
}

}  // namespace

Cells Lowering::jet(const Value& v) {
  const bool bilinear = v.op == Primitive::jet_mul || v.op == Primitive::jet_mul_transposed;
  if (bilinear && !is_row(v)) return small_jet_product(v);
  const Channels y(v);
  Instruction j;
  j.opcode = v.op == Primitive::jet            ? Opcode::jet
             : v.op == Primitive::jet_pullback ? Opcode::jet_pullback
             : v.op == Primitive::jet_mul      ? Opcode::jet_mul
                                               : Opcode::jet_mul_transposed;
  j.function = {Elementwise::unary, v.function, v.parameter};
  j.derivative = v.derivative;
  j.table = table_of(v.table);
  j.channels = y.channels;
  j.count = y.features;
  Operand* operands[] = {&j.a, &j.b};
  for (std::size_t i = 0; i < v.inputs.size(); ++i) {
    const Channels own(input_of(v, int(i)));
    *operands[i] = {Memory::lane, regular_lanes(of(v, int(i)), own.channels, own.features),
                    own.features == 1 && y.features > 1 ? 0 : y.channels};
  }
  const Cells lanes = new_places(Memory::lane, y.channels * y.features);
  j.out = {Memory::lane, lanes[0].at, y.channels};
  if (j.opcode == Opcode::jet_pullback) keep_slopes(j);
  program_.body.push_back(j);
  return places_of_lanes(lanes[0].at, y.channels, y.features);
}

void Lowering::keep_slopes(Instruction& pullback) {
  for (Instruction& i : program_.body) {
    if (i.opcode != Opcode::jet || !(i.function == pullback.function) ||
        i.derivative != pullback.derivative || i.table != pullback.table || i.a.at != pullback.a.at)
      continue;
    if (i.slopes.memory == Memory::none)
      i.slopes = {Memory::lane, new_places(Memory::lane, i.count)[0].at, 1};
    pullback.c = i.out;
    pullback.slopes = i.slopes;
    return;
  }
}

Cells Lowering::small_jet_product(const Value& v) {
  const Channels y(v), left(input_of(v, 0)), right(input_of(v, 1));
  std::vector<int> order;
  for (int f = 0; f < y.features; ++f) order.push_back(f);
  const auto apply = [&](const Elementwise& f, const Cells& a, const Cells& b) {
    return elementwise(f, a, b, {}, order);
  };
  std::vector<Cells> sums(std::size_t(y.channels), Cells(order.size(), number(0)));
  const bool transposed = v.op == Primitive::jet_mul_transposed;
  for (const JetTable::Term& t : transposed ? v.table->transposed() : v.table->terms()) {
    const Cells a = channel_of(of(v, 0), left, t.i, y.features),
                b = channel_of(of(v, 1), right, t.j, y.features),
                weight(order.size(), number(t.weight));
    Cells& sum = sums[std::size_t(t.k)];
    sum = apply(binary_function<op::Add>, sum,
                apply(binary_function<op::Mul>, apply(binary_function<op::Mul>, a, b), weight));
  }
  Cells out;
  for (const Cells& sum : sums) out.insert(out.end(), sum.begin(), sum.end());
  return out;
}

}  // namespace pinn
