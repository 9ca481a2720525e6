#include "autograd/core/error.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"
#include "autograd/program/lowering.h"

/// Elementwise instructions of a lowering: folded and simplified one by one, then put together in
/// runs.
namespace pinn {
namespace {

double evaluate(const Instruction& op, double a, double b, double c) {
  switch (op.step) {
    case Step::unary:
      return visit_unary(op.id, [&]<class Op>() { return value_of<Op>(a, op.parameter); });
    case Step::unary_pullback:
      return c * visit_unary(op.id, [&]<class Op>() { return slope_of<Op>(a, b, op.parameter); });
    case Step::binary:
      return visit_binary(op.id, [&]<class Op>() { return Op::value(a, b); });
    default:
      return a != 0 ? b : c;
  }
}

/// Whether p goes on a run that began at `from`, as its element i.
bool continues(const Operand& from, const Cell& p, int i) {
  return p.memory == from.memory && p.at == from.at + i * from.step;
}

/// Lanes further apart than this do not make a run: all between them would have to stay together.
constexpr int longest_step = 32;

Operand begin_run(const Cells& places, std::size_t i, std::size_t end) {
  if (places.empty()) return {};
  const Cell& p = places[i];
  Operand o{p.memory, p.at, 0};
  if (i + 1 == end || places[i + 1].memory != p.memory) return o;
  const int step = places[i + 1].at - p.at;
  if (p.memory != Memory::lane || (step >= 0 && step <= longest_step)) o.step = step;
  return o;
}

}  // namespace

std::optional<Cell> Lowering::simplified(const Instruction& op, const Cell& a, const Cell& b,
                                         const Cell& c) {
  const std::optional<double> x = constant_at(a), y = constant_at(b), z = constant_at(c);
  const auto known = [](const Cell& p, const std::optional<double>& value) {
    return p.memory == Memory::none || value;
  };
  if (known(a, x) && known(b, y) && known(c, z))
    return number(evaluate(op, x.value_or(0), y.value_or(0), z.value_or(0)));
  if (op.step == Step::where && x) return *x != 0 ? b : c;
  if (op.step == Step::unary_pullback && z && *z == 0) return number(0);
  if (op.step != Step::binary) return {};
  // Zeros here are structural - what an op on shapes filled in - so they win over any value.
  if (op.id == binary_id<op::Add>) {
    if (x && *x == 0) return b;
    if (y && *y == 0) return a;
  } else if (op.id == binary_id<op::Sub>) {
    if (y && *y == 0) return a;
  } else if (op.id == binary_id<op::Mul>) {
    if ((x && *x == 0) || (y && *y == 0)) return number(0);
    if (x && *x == 1) return b;
    if (y && *y == 1) return a;
  } else if (op.id == binary_id<op::Div>) {
    if (y && *y == 1) return a;
  }
  return {};
}

Cells Lowering::pointwise(const Value& v) {
  Instruction op;
  op.id = v.id;
  op.parameter = v.parameter;
  op.step = v.op == Primitive::unary            ? Step::unary
            : v.op == Primitive::unary_pullback ? Step::unary_pullback
            : v.op == Primitive::binary         ? Step::binary
                                                : Step::where;
  Cells operands[3];
  for (std::size_t i = 0; i < v.inputs.size(); ++i)
    if (v.inputs[i] >= 0) operands[i] = broadcast_places(v, input_of(v, int(i)), of(v, int(i)));
  const Channels block(v);
  return elementwise(op, operands[0], operands[1], operands[2],
                     by_features(block.channels, block.features));
}

Cells Lowering::elementwise(const Instruction& op, const Cells& a, const Cells& b, const Cells& c,
                            const std::vector<int>& order) {
  const auto at = [](const Cells& p, std::size_t i) { return p.empty() ? Cell() : p[i]; };
  Cells out(order.size());
  std::vector<std::size_t> left;
  for (const int o : order) {
    const std::size_t i = std::size_t(o);
    if (const auto simple = simplified(op, at(a, i), at(b, i), at(c, i)))
      out[i] = *simple;
    else
      left.push_back(i);
  }
  // What is the same at all points is computed once per step, sums after the points.
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
    if (n == 1) run.out.step = run.a.step = run.b.step = run.c.step = 0;
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
