#include "autograd/cpu/tiles/amx_instructions.h"

namespace pinn::cpu {
namespace {

std::size_t packed_size(const Weights& w) {
  return amx_packed_size(std::size_t(w.k), std::size_t(w.n));
}

bool suits(const Weights& w) { return amx_suits_product(std::size_t(w.k), std::size_t(w.n)); }

std::size_t packed_size(const Program& program) {
  std::size_t size = 0;
  for (const Weights& w : program.weights) size += suits(w) ? packed_size(w) : 0;
  return size;
}

}  // namespace

AmxInstructions::AmxInstructions(const Program& program, Products products)
    : program_(program),
      on_(products == Products::bf16x3 && program.dtype == DType::float32 && amx_available()),
      packed_(on_ ? packed_size(program) : 0) {
  std::size_t at = 0;
  for (const Weights& w : program.weights) {
    at_.push_back(suits(w) ? at : nowhere);
    at += suits(w) ? packed_size(w) : 0;
  }
}

bool AmxInstructions::runs(const Instruction& i) const {
  if (i.opcode == Opcode::product) return has(std::size_t(i.weights));
  return on_ && i.opcode == Opcode::contract &&
         amx_suits_contract(std::size_t(i.k), std::size_t(i.n));
}

void AmxInstructions::prepare(std::span<const double> fixed) {
  for (std::size_t k = 0; k < at_.size(); ++k) {
    if (!has(k)) continue;
    const Weights& w = program_.weights[k];
    amx_pack(fixed.data() + w.at, std::size_t(w.row), std::size_t(w.column), std::size_t(w.k),
             std::size_t(w.n), packed_.data() + at_[k]);
  }
}

std::size_t AmxInstructions::scratch(const Instruction& i) const {
  if (!runs(i)) return 0;
  return i.opcode == Opcode::product ? amx_product_scratch : amx_contract_scratch(std::size_t(i.n));
}

void AmxInstructions::run(const Instruction& i, float* arena, std::size_t points, const float* bias,
                          float* partial, float* scratch) const {
  const auto lanes = [&](const Operand& o) { return arena + std::size_t(o.at) * points; };
  const std::size_t k = std::size_t(i.k), n = std::size_t(i.n);
  const std::size_t columns = std::size_t(i.channels) * points;
  if (i.opcode == Opcode::contract)
    return amx_contract(
        {k, n, columns, lanes(i.a), columns, lanes(i.b), columns, partial, scratch});
  amx_product({packed_.data() + at_[std::size_t(i.weights)], k, n, columns, lanes(i.a), columns,
               lanes(i.out), columns, bias, points, scratch});
}

}  // namespace pinn::cpu
