#include "tests/autograd/program/interpret.h"

#include "autograd/core/error.h"
#include "autograd/cpu/jet.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"

namespace pinn::test {
namespace {

/// One point's lanes, and what all points share.
struct Memories {
  std::vector<double> lanes, fixed, sums;

  double& at(const Operand& o, int k) {
    std::vector<double>& m = o.memory == Memory::lane    ? lanes
                             : o.memory == Memory::fixed ? fixed
                                                         : sums;
    return m.at(std::size_t(o.at + k * o.step));
  }
};

double value(const Instruction& i, Memories& m, int k) {
  const auto read = [&](const Operand& o) { return o.memory == Memory::none ? 0 : m.at(o, k); };
  const double a = read(i.a), b = read(i.b), c = read(i.c);
  switch (i.step) {
    case Step::copy:
      return a;
    case Step::unary:
      return visit_unary(i.id, [&]<class Op>() { return value_of<Op>(a, i.parameter); });
    case Step::unary_pullback:
      return c * visit_unary(i.id, [&]<class Op>() { return slope_of<Op>(a, b, i.parameter); });
    case Step::binary:
      return visit_binary(i.id, [&]<class Op>() { return Op::value(a, b); });
    default:
      return a != 0 ? b : c;
  }
}

void product(const Program& program, const Instruction& i, Memories& m) {
  const Weights& w = program.weights[std::size_t(i.weights)];
  for (int j = 0; j < i.n; ++j)
    for (int c = 0; c < i.channels; ++c) {
      double sum = c == 0 && w.bias >= 0 ? m.fixed[std::size_t(w.bias + j * w.bias_step)] : 0;
      for (int k = 0; k < i.k; ++k)
        sum += m.fixed[std::size_t(w.at + k * w.row + j * w.column)] *
               m.lanes[std::size_t(i.a.at + k * i.channels + c)];
      m.lanes[std::size_t(i.out.at + j * i.channels + c)] = sum;
    }
}

void contract(const Instruction& i, Memories& m) {
  for (int k = 0; k < i.k; ++k)
    for (int j = 0; j < i.n; ++j)
      for (int c = 0; c < i.channels; ++c)
        m.sums[std::size_t(i.out.at + k * i.n + j)] +=
            m.lanes[std::size_t(i.a.at + k * i.channels + c)] *
            m.lanes[std::size_t(i.b.at + j * i.channels + c)];
}

void jet(const Program& program, const Instruction& i, Memories& m) {
  const JetTable& table = *program.tables[std::size_t(i.table)];
  const std::size_t size = std::size_t(table.size());
  std::vector<double> a(size), b(size), y(size);
  for (int f = 0; f < i.count; ++f) {
    for (std::size_t c = 0; c < size; ++c) {
      a[c] = m.lanes.at(std::size_t(i.a.at + f * i.a.step) + c);
      if (i.b.memory == Memory::lane) b[c] = m.lanes.at(std::size_t(i.b.at + f * i.b.step) + c);
    }
    if (i.step == Step::jet)
      cpu::jet(i.id, i.parameter, i.k, table, DType::float64, 1, 1, a.data(), y.data());
    else if (i.step == Step::jet_pullback)
      cpu::jet_pullback(i.id, i.parameter, i.k, table, DType::float64, 1, 1, a.data(), b.data(),
                        y.data());
    else if (i.step == Step::jet_mul)
      cpu::jet_mul(table, DType::float64, 1, 1, a.data(), 1, b.data(), y.data());
    else
      cpu::jet_mul_transposed(table, DType::float64, 1, 1, a.data(), 1, b.data(), y.data());
    for (std::size_t c = 0; c < size; ++c)
      m.lanes.at(std::size_t(i.out.at + f * i.channels) + c) = y[c];
  }
}

void run(const Program& program, const std::vector<Instruction>& list, Memories& m) {
  for (const Instruction& i : list) {
    if (i.step == Step::product)
      product(program, i, m);
    else if (i.step == Step::contract)
      contract(i, m);
    else if (i.step >= Step::round)
      throw InternalError({"the scale of a block is not known here", name_of(i.step), ""});
    else if (i.step >= Step::jet)
      jet(program, i, m);
    else if (i.step == Step::sum)
      for (int k = 0; k < i.count; ++k) m.at(i.out, k) += m.at(i.a, k);
    else
      for (int k = 0; k < i.count; ++k) m.at(i.out, k) = value(i, m, k);
  }
}

}  // namespace

std::vector<std::vector<double>> interpret(const Program& program, const Arrays& inputs,
                                           std::size_t points) {
  Memories m;
  m.fixed.resize(std::size_t(program.fixed_size));
  m.sums.resize(std::size_t(program.sums));
  for (const auto& [at, number] : program.constants) m.fixed[std::size_t(at)] = number;
  for (const FixedInput& input : program.fixed) {
    const std::vector<double>& from = inputs.at(input.name);
    for (int k = 0; k < input.count; ++k) m.fixed[std::size_t(input.at + k)] = from[std::size_t(k)];
  }
  run(program, program.prologue, m);
  std::vector<std::vector<double>> outputs(program.outputs.size());
  const auto read = [&](bool rows) {
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (program.outputs[o].row == rows)
        for (const OutputPiece& piece : program.outputs[o].pieces)
          for (int k = 0; k < piece.count; ++k) outputs[o].push_back(m.at(piece.from, k));
  };
  for (std::size_t p = 0; p < points; ++p) {
    m.lanes.assign(std::size_t(program.lanes), 1e300);  // what is not written is not read
    for (const RowInput& row : program.rows)
      for (std::size_t c = 0; c < row.lanes.size(); ++c)
        if (row.lanes[c] >= 0)
          m.lanes[std::size_t(row.lanes[c])] = inputs.at(row.name)[p * row.lanes.size() + c];
    run(program, program.body, m);
    read(true);
  }
  run(program, program.epilogue, m);
  read(false);
  return outputs;
}

}  // namespace pinn::test
