#pragma once
#include "autograd/program/program.h"

namespace pinn {

/// Lanes that an instruction reads or writes: `count` groups of `width` lanes side by side, each so
/// far `apart` from the one before.
struct Lanes {
  int first = 0, count = 0, apart = 0, width = 1;
  int last() const { return first + (count - 1) * apart + width - 1; }
};

/// Lanes that an operand of an instruction stands for; no group where it is no lane.
inline Lanes lanes_of(const Instruction& i, const Operand& o) {
  if (o.memory != Memory::lane) return {};
  const int groups = o.stride == 0 ? 1 : i.count;
  if (&o == &i.slopes) return {o.at, groups, o.stride, 1};
  if (is_jet(i.opcode)) return {o.at, groups, o.stride, i.channels};
  const bool out = &o == &i.out;
  if (i.opcode == (out ? Opcode::pack : Opcode::unpack)) return {o.at, 1, 0, i.codes};
  if (i.opcode == Opcode::lookup) return {o.at, 1, 0, out ? 1 : i.channels};
  const bool of_n = i.opcode == Opcode::product ? out : &o == &i.b;
  if (i.opcode == Opcode::product || i.opcode == Opcode::contract)
    return {o.at, 1, 0, (of_n ? i.n : i.k) * i.channels};
  return {o.at, groups, o.stride, 1};
}

/// f(lanes) for those that an instruction reads.
template <class F> void each_read(const Instruction& i, F&& f) {
  for (const Operand* o : {&i.a, &i.b, &i.c, &i.slopes})
    if (o->memory == Memory::lane && (o != &i.slopes || i.opcode != Opcode::jet))
      f(lanes_of(i, *o));
}

/// f(lanes) for those that it writes.
template <class F> void each_written(const Instruction& i, F&& f) {
  if (i.out.memory == Memory::lane) f(lanes_of(i, i.out));
  if (i.opcode == Opcode::jet && i.slopes.memory == Memory::lane) f(lanes_of(i, i.slopes));
}

/// g(lane) for each of them.
template <class G> void each_lane(const Lanes& l, G&& g) {
  for (int group = 0; group < l.count; ++group)
    for (int k = 0; k < l.width; ++k) g(l.first + group * l.apart + k);
}

}  // namespace pinn
