// Jets.
#include "autograd/ops/binary.h"
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
  const Channels block(v);
  Instruction j;
  j.step = v.op == Primitive::jet            ? Step::jet
           : v.op == Primitive::jet_pullback ? Step::jet_pullback
           : v.op == Primitive::jet_mul      ? Step::jet_mul
                                             : Step::jet_mul_transposed;
  j.id = v.id;
  j.parameter = v.parameter;
  j.k = v.k;
  j.table = table_of(v.table);
  j.channels = block.channels;
  j.count = block.features;
  Operand* operands[] = {&j.a, &j.b};
  for (std::size_t i = 0; i < v.inputs.size(); ++i) {
    const Channels own(input_of(v, int(i)));
    *operands[i] = {Memory::lane, regular_block(of(v, int(i)), own.channels, own.features),
                    own.features == 1 && block.features > 1 ? 0 : block.channels};
  }
  const Cells lanes = new_places(Memory::lane, block.channels * block.features);
  j.out = {Memory::lane, lanes[0].at, block.channels};
  if (j.step == Step::jet_pullback) keep_slopes(j);
  program_.body.push_back(j);
  return block_places(lanes[0].at, block.channels, block.features);
}

void Lowering::keep_slopes(Instruction& pullback) {
  for (Instruction& i : program_.body) {
    if (i.step != Step::jet || i.id != pullback.id || i.parameter != pullback.parameter ||
        i.k != pullback.k || i.table != pullback.table || i.a.at != pullback.a.at)
      continue;
    if (i.d.memory == Memory::none)
      i.d = {Memory::lane, new_places(Memory::lane, i.count)[0].at, 1};
    pullback.c = i.out;
    pullback.d = i.d;
    return;
  }
}

Cells Lowering::small_jet_product(const Value& v) {
  Instruction add, mul;
  add.step = mul.step = Step::binary;
  add.id = binary_id<op::Add>;
  mul.id = binary_id<op::Mul>;
  const Channels y(v), left(input_of(v, 0)), right(input_of(v, 1));
  std::vector<int> order;
  for (int f = 0; f < y.features; ++f) order.push_back(f);
  std::vector<Cells> sums(std::size_t(y.channels), Cells(order.size(), number(0)));
  const bool transposed = v.op == Primitive::jet_mul_transposed;
  for (const JetTable::Product& p : transposed ? v.table->transposed() : v.table->products()) {
    const Cells a = channel_of(of(v, 0), left, p.i, y.features),
                b = channel_of(of(v, 1), right, p.j, y.features),
                weight(order.size(), number(p.weight));
    const Cells product = elementwise(mul, elementwise(mul, a, b, {}, order), weight, {}, order);
    Cells& sum = sums[std::size_t(p.k)];
    sum = elementwise(add, sum, product, {}, order);
  }
  Cells out;
  for (const Cells& sum : sums) out.insert(out.end(), sum.begin(), sum.end());
  return out;
}

}  // namespace pinn
