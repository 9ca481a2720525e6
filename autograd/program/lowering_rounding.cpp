// Values that are rounded while they wait for the backward pass.
#include "autograd/program/lowering.h"

#include <algorithm>

#include "autograd/ops/float_format.h"

namespace pinn {

Cells Lowering::rounded(const Value& v) {
  if (v.extent == Extent::sum) refuse(v, "a sum over the points");
  if (count_of(v) == 0) return {};
  // Functions of jets run on lanes, where those are the same at all points, too.
  const auto on_lanes = [](const Cells& cells) {
    return std::any_of(cells.begin(), cells.end(),
                       [](const Cell& cell) { return cell.memory == Memory::lane; });
  };
  if (is_row(v) || on_lanes(of(v, 0))) {
    Instruction later;
    later.opcode = Opcode::unpack;
    later.count = 0;  // not packed yet
    later.format = v.format;
    packed_.emplace(int(places_.size()), later);
    return {};
  }
  Cells from = of(v, 0), to = new_places(Memory::fixed, count_of(v));
  const Weights together = weights_of(from, 1, int(from.size()));
  Instruction round;
  round.opcode = Opcode::round;
  round.format = v.format;
  round.as_float32 = v.dtype == DType::float32;
  round.out = {Memory::fixed, to[0].at, 1};
  round.a = {Memory::fixed, together.at, together.column};
  round.count = int(from.size());
  program_.prologue.push_back(round);
  return to;
}

void Lowering::pack(int rounded_value) {
  const Value& v = graph_.values[std::size_t(rounded_value)];
  const Channels y(v);
  const int lanes = y.channels * y.features;
  Instruction& unpacks = packed_.at(rounded_value);
  Instruction packs = unpacks;
  packs.opcode = Opcode::pack;
  packs.count = lanes;
  packs.a = {Memory::lane, regular_lanes(of(v, 0), y.channels, y.features), 1};
  // Room of the lanes beyond the codes holds the scale: at least a byte per point is left.
  packs.codes = lanes * float_formats[v.format].bytes() / int(size_of(program_.dtype)) + 1;
  packs.out = {Memory::lane, new_places(Memory::lane, packs.codes)[0].at, 1};
  program_.body.push_back(packs);
  unpacks.a = packs.out;
  unpacks.codes = packs.codes;
  unpacks.count = lanes;
}

void Lowering::unpack(int rounded_value) {
  if (packed_.at(rounded_value).count == 0) pack(rounded_value);
  Instruction unpacks = packed_.at(rounded_value);
  packed_.erase(rounded_value);
  const Channels y(graph_.values[std::size_t(rounded_value)]);
  const Cells lanes = new_places(Memory::lane, unpacks.count);
  unpacks.out = {Memory::lane, lanes[0].at, 1};
  program_.body.push_back(unpacks);
  places_[std::size_t(rounded_value)] = places_of_lanes(lanes[0].at, y.channels, y.features);
}

}  // namespace pinn
