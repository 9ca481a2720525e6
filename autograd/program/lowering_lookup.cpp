// Functions that a program knows.
#include <algorithm>

#include "autograd/program/lowering.h"

namespace pinn {

Cells Lowering::lookup(const Value& v) {
  Instruction look;
  look.opcode = Opcode::lookup;
  look.source = source_of(v.source);
  look.order = v.order;
  look.channels = int(v.inputs.size());
  Cells all;
  for (std::size_t e = 0; e < std::size_t(count_of(v)); ++e) {
    Cells x;
    for (std::size_t k = 0; k < v.inputs.size(); ++k) x.push_back(of(v, int(k))[e]);
    const auto is_in = [&](Memory memory) {
      return [memory](const Cell& cell) { return cell.memory == memory; };
    };
    if (std::ranges::any_of(x, is_in(Memory::sum))) refuse(v, "of a sum over the points");
    const bool once = std::ranges::all_of(x, is_in(Memory::fixed));
    if (once) {
      const Weights together = weights_of(x, 1, look.channels);
      look.a = {Memory::fixed, together.at, together.column};
    } else {
      look.a = {Memory::lane, regular_lanes(x, look.channels, 1), 0};
    }
    all.push_back(new_places(once ? Memory::fixed : Memory::lane, 1)[0]);
    look.out = {all.back().memory, all.back().at, 0};
    (once ? program_.prologue : program_.body).push_back(look);
  }
  return all;
}

int Lowering::source_of(const PointFunctionPtr& source) {
  const auto at = std::ranges::find(program_.sources, source);
  const int position = int(at - program_.sources.begin());
  if (at == program_.sources.end()) program_.sources.push_back(source);
  return position;
}

}  // namespace pinn
