#include "autograd/program/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops/float_format.h"
#include "autograd/program/lowering.h"

namespace pinn {
namespace {

std::string text(const Operand& o, int count) {
  if (o.memory == Memory::none) return "-";
  const char* kind = o.memory == Memory::lane ? "l" : o.memory == Memory::fixed ? "f" : "s";
  if (count == 1 || o.stride == 0) return fmt::format("{}{}", kind, o.at);
  return fmt::format("{}{}+{}k", kind, o.at, o.stride);
}

std::string line(const Instruction& i) {
  std::string s = fmt::format("{} {}", text(i.out, i.count), name_of(i));
  for (const Operand* o : {&i.a, &i.b, &i.c})
    if (o->memory != Memory::none) s += " " + text(*o, i.count);
  if (i.opcode == Opcode::product || i.opcode == Opcode::contract)
    return s + fmt::format(" [{} x {}], {} channels", i.k, i.n, i.channels);
  return s + fmt::format(" x{}", i.count);
}

/// Operations on one point; functions count as one.
double flops_of(const Instruction& i, const Program& program) {
  switch (i.opcode) {
    case Opcode::product:
    case Opcode::contract:
      return 2.0 * i.k * i.n * i.channels;
    case Opcode::jet:
    case Opcode::jet_pullback:
    case Opcode::jet_mul:
    case Opcode::jet_mul_transposed:
      return 2.0 * i.count * double(program.tables[std::size_t(i.table)]->terms().size());
    default:
      return i.count;
  }
}

}  // namespace

std::string name_of(const Instruction& i) {
  constexpr const char* names[] = {"",      "sum",          "product", "contract",
                                   "jet",   "jet_pullback", "jet_mul", "jet_mul_transposed",
                                   "round", "pack",         "unpack",  "lookup"};
  constexpr const char* kinds[] = {"copy", "unary", "unary_pullback", "binary", "ternary"};
  const std::string name = names[int(i.opcode)];
  if (i.opcode == Opcode::lookup) return name;
  if (i.opcode >= Opcode::round) return fmt::format("{} {}", name, float_formats[i.format].name);
  const std::string op(name_of_op(i.function));
  if (i.opcode == Opcode::jet || i.opcode == Opcode::jet_pullback) return name + " " + op;
  if (i.opcode != Opcode::elementwise) return name;
  const Elementwise::Kind kind = i.function.kind;
  return kind == Elementwise::copy || kind == Elementwise::ternary
             ? op
             : std::string(kinds[kind]) + " " + op;
}

Program plan(const Graph& graph) {
  Program program = Lowering(graph).run();
  assign_arena(program);
  return program;
}

std::size_t even_block(const Program& program, std::size_t points) {
  const auto parts = [](std::size_t n, std::size_t longest) { return (n + longest - 1) / longest; };
  const std::size_t longest = std::size_t(program.block), line = 64 / size_of(program.dtype);
  std::size_t blocks = parts(points, longest);
  if (blocks <= 1) return longest;
  blocks = blocks > 16 ? parts(blocks, 16) * 16 : blocks + blocks % 2;
  std::size_t lines = parts(parts(points, blocks), line);
  if (lines % 4 == 0) ++lines;  // or features fall on few places of the first cache
  return std::min(longest, lines * line);
}

PlanReport report(const Program& program) {
  PlanReport r;
  r.instructions = program.prologue.size() + program.body.size() + program.epilogue.size();
  for (const Instruction& i : program.body) {
    const double flops = flops_of(i, program);
    r.flops += flops;
    if (i.opcode == Opcode::product || i.opcode == Opcode::contract) r.product_flops += flops;
  }
  r.block = program.block;
  r.arena_bytes = std::size_t(program.lanes) * std::size_t(program.block) * size_of(program.dtype);
  return r;
}

std::string to_text(const Program& program) {
  std::string s;
  const auto list = [&](const char* name, const std::vector<Instruction>& instructions) {
    if (instructions.empty()) return;
    s += fmt::format("{}\n", name);
    for (const Instruction& i : instructions) s += "  " + line(i) + "\n";
  };
  list("once before the points", program.prologue);
  list("for every block of points", program.body);
  list("once after the points", program.epilogue);
  return s;
}

}  // namespace pinn
