#include <array>

#include "autograd/program/lowering.h"

/// Elementwise instructions of a lowering: folded and simplified one by one, then put together in
/// runs.
namespace pinn {
namespace {

/// True if p goes on a run that began at `from`, as its element i.
bool continues(const Operand& from, const Cell& p, int i) {
  return p.memory == from.memory && p.at == from.at + i * from.stride;
}

/// Lanes further apart than this do not make a run: all between them would have to stay together.
constexpr int longest_stride = 32;

Operand begin_run(const Cells& places, std::size_t i, std::size_t end) {
  if (places.empty()) return {};
  const Cell& p = places[i];
  Operand o{p.memory, p.at, 0};
  if (i + 1 == end || places[i + 1].memory != p.memory) return o;
  const int stride = places[i + 1].at - p.at;
  if (p.memory != Memory::lane || (stride >= 0 && stride <= longest_stride)) o.stride = stride;
  return o;
}

}  // namespace

std::optional<Cell> Lowering::simplified(const Elementwise& f, const Cell& a, const Cell& b,
                                         const Cell& c) {
  const std::array<Cell, 3> cells = {a, b, c};
  std::array<std::optional<double>, 3> x;
  bool all_known = true;
  for (std::size_t i = 0; i < 3; ++i) {
    x[i] = constant_at(cells[i]);
    all_known = all_known && (x[i] || cells[i].memory == Memory::none);
  }
  if (all_known) return number(applied(f, x[0].value_or(0), x[1].value_or(0), x[2].value_or(0)));
  const std::optional<Simpler> simpler = known(f, x);
  if (!simpler) return {};
  return simpler->argument < 0 ? number(simpler->number) : cells[std::size_t(simpler->argument)];
}

Cells Lowering::pointwise(const Value& v) {
  Cells operands[3];
  for (std::size_t i = 0; i < v.inputs.size(); ++i)
    if (v.inputs[i] >= 0) operands[i] = broadcast_places(v, input_of(v, int(i)), of(v, int(i)));
  const Channels y(v);
  return elementwise(*elementwise_of(v), operands[0], operands[1], operands[2],
                     by_features(y.channels, y.features));
}

Cells Lowering::elementwise(const Elementwise& f, const Cells& a, const Cells& b, const Cells& c,
                            const std::vector<int>& order) {
  const auto at = [](const Cells& p, std::size_t i) { return p.empty() ? Cell() : p[i]; };
  Cells out(order.size());
  std::vector<std::size_t> left;
  for (const int o : order) {
    const std::size_t i = std::size_t(o);
    if (const auto simple = simplified(f, at(a, i), at(b, i), at(c, i)))
      out[i] = *simple;
    else
      left.push_back(i);
  }
  // Values that are the same at all points are computed once per step, sums after the points.
  for (const Memory memory : {Memory::lane, Memory::sum, Memory::fixed}) {
    std::vector<std::size_t> mine;
    for (const std::size_t i : left) {
      Memory result = Memory::fixed;
      for (const Cell& p : {at(a, i), at(b, i), at(c, i)}) {
        if (p.memory == Memory::sum && result == Memory::fixed) result = Memory::sum;
        if (p.memory == Memory::lane) result = Memory::lane;
      }
      if (result == memory) mine.push_back(i);
    }
    const Cells made = new_places(memory, int(mine.size()));
    Cells part[3];
    for (std::size_t k = 0; k < mine.size(); ++k) {
      out[mine[k]] = made[k];
      if (!a.empty()) part[0].push_back(a[mine[k]]);
      if (!b.empty()) part[1].push_back(b[mine[k]]);
      if (!c.empty()) part[2].push_back(c[mine[k]]);
    }
    Instruction op;
    op.function = f;
    emit_runs(op, made, part[0], part[1], part[2]);
  }
  return out;
}

void Lowering::emit_runs(const Instruction& op, const Cells& out, const Cells& a, const Cells& b,
                         const Cells& c) {
  for (std::size_t i = 0; i < out.size();) {
    Instruction run = op;
    run.out = begin_run(out, i, out.size());
    run.a = begin_run(a, i, out.size());
    run.b = begin_run(b, i, out.size());
    run.c = begin_run(c, i, out.size());
    int n = 1;
    const auto goes_on = [&](const Operand& o, const Cells& p) {
      return p.empty() || continues(o, p[i + std::size_t(n)], n);
    };
    while (i + std::size_t(n) < out.size() && goes_on(run.out, out) && goes_on(run.a, a) &&
           goes_on(run.b, b) && goes_on(run.c, c))
      ++n;
    if (n == 1) run.out.stride = run.a.stride = run.b.stride = run.c.stride = 0;
    run.count = n;
    std::vector<Instruction>* list = &program_.prologue;
    for (const Operand* o : {&run.out, &run.a, &run.b, &run.c}) {
      if (o->memory == Memory::sum && list == &program_.prologue) list = &program_.epilogue;
      if (o->memory == Memory::lane) list = &program_.body;
    }
    list->push_back(run);
    i += std::size_t(n);
  }
}

}  // namespace pinn
