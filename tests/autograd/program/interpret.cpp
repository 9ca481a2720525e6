#include "tests/autograd/program/interpret.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/float_format.h"
#include "tests/autograd/cpu/eager/naive_jet.h"
#include "tests/larger.h"

namespace pinn::test {
namespace {

/// One point's lanes, and what all points share.
struct Memories {
  std::vector<double> lanes, fixed, sums;

  double& at(const Operand& o, int k) {
    std::vector<double>& m = o.memory == Memory::lane    ? lanes
                             : o.memory == Memory::fixed ? fixed
                                                         : sums;
    return m.at(std::size_t(o.at + k * o.stride));
  }
};

double value(const Instruction& i, Memories& m, int k) {
  const auto read = [&](const Operand& o) { return o.memory == Memory::none ? 0 : m.at(o, k); };
  return applied(i.function, read(i.a), read(i.b), read(i.c));
}

void product(const Program& program, const Instruction& i, Memories& m) {
  const Weights& w = program.weights[std::size_t(i.weights)];
  for (int j = 0; j < i.n; ++j)
    for (int c = 0; c < i.channels; ++c) {
      double sum = c == 0 && w.bias >= 0 ? m.fixed[std::size_t(w.bias + j * w.bias_stride)] : 0;
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

Numbers composition(const Instruction& i, int k, const JetTable& table, const Numbers& h) {
  return visit_unary(i.function.op,
                     [&]<class Op>() { return composed<Op>(table, k, h, i.function.parameter); });
}

void jet(const Program& program, const Instruction& i, Memories& m) {
  const JetTable& table = *program.tables[std::size_t(i.table)];
  const std::size_t size = std::size_t(table.size());
  Numbers a(size), b(size), y(size);
  for (int f = 0; f < i.count; ++f) {
    for (std::size_t c = 0; c < size; ++c) {
      a[c] = m.lanes.at(std::size_t(i.a.at + f * i.a.stride) + c);
      if (i.b.memory == Memory::lane) b[c] = m.lanes.at(std::size_t(i.b.at + f * i.b.stride) + c);
    }
    if (i.opcode == Opcode::jet)
      y = composition(i, i.derivative, table, a);
    else if (i.opcode == Opcode::jet_pullback)
      y = multiplied_transposed(table, b, composition(i, i.derivative + 1, table, a));
    else if (i.opcode == Opcode::jet_mul)
      y = multiplied(table, a, b);
    else
      y = multiplied_transposed(table, a, b);
    for (std::size_t c = 0; c < size; ++c)
      m.lanes.at(std::size_t(i.out.at + f * i.channels) + c) = y[c];
  }
}

/// Numbers rounded to a format with one scale; what is not finite has no part in the scale.
void round_together(int format, const std::vector<double*>& numbers) {
  double largest = 0;
  for (const double* x : numbers)
    if (std::isfinite(*x)) largest = larger(largest, std::fabs(*x));
  const Codec<double> codec(float_formats[format]);
  const double scale = std::ldexp(1.0, scale_exponent(float_formats[format], largest));
  for (double* x : numbers) *x = codec.decode(codec.encode(*x * scale)) / scale;
}

void round(const Instruction& i, Memories& m) {
  std::vector<double*> numbers;
  for (int k = 0; k < i.count; ++k) {
    m.at(i.out, k) = i.as_float32 ? double(float(m.at(i.a, k))) : m.at(i.a, k);
    numbers.push_back(&m.at(i.out, k));
  }
  round_together(i.format, numbers);
}

void run(const Program& program, const Instruction& i, Memories& m) {
  if (i.opcode == Opcode::product)
    product(program, i, m);
  else if (i.opcode == Opcode::contract)
    contract(i, m);
  else if (i.opcode == Opcode::round)
    round(i, m);
  else if (is_jet(i.opcode))
    jet(program, i, m);
  else if (i.opcode == Opcode::sum)
    for (int k = 0; k < i.count; ++k) m.at(i.out, k) += m.at(i.a, k);
  else
    for (int k = 0; k < i.count; ++k) m.at(i.out, k) = value(i, m, k);
}

/// The lanes of each point of a block.
using Block = std::vector<std::vector<double>>;

std::vector<double> packed(const Instruction& i, const Block& block) {
  std::vector<double> numbers;
  for (const std::vector<double>& lanes : block)
    numbers.insert(numbers.end(), lanes.begin() + i.a.at, lanes.begin() + i.a.at + i.count);
  std::vector<double*> all;
  for (double& x : numbers) all.push_back(&x);
  round_together(i.format, all);
  return numbers;
}

/// The body; an instruction is done for all points of the block before the next one is.
void run_body(const Program& program, Memories& m, Block& block) {
  std::map<int, std::vector<double>> codes;  // by the first of their lanes
  for (const Instruction& i : program.body) {
    if (i.opcode == Opcode::pack) codes[i.out.at] = packed(i, block);
    for (std::size_t p = 0; p < block.size() && i.opcode != Opcode::pack; ++p) {
      m.lanes.swap(block[p]);
      if (i.opcode == Opcode::unpack)
        std::copy_n(codes.at(i.a.at).begin() + std::ptrdiff_t(p) * i.count, i.count,
                    m.lanes.begin() + i.out.at);
      else
        run(program, i, m);
      m.lanes.swap(block[p]);
    }
  }
}

}  // namespace

std::vector<std::vector<double>> interpret(const Program& program, const Arrays& inputs,
                                           std::size_t points, std::size_t block) {
  Memories m;
  m.fixed.resize(std::size_t(program.fixed_size));
  m.sums.resize(std::size_t(program.sums));
  for (const auto& [at, number] : program.constants) m.fixed[std::size_t(at)] = number;
  for (const FixedInput& input : program.fixed) {
    const std::vector<double>& from = inputs.at(input.name);
    for (int k = 0; k < input.count; ++k) m.fixed[std::size_t(input.at + k)] = from[std::size_t(k)];
  }
  for (const Instruction& i : program.prologue) run(program, i, m);
  std::vector<std::vector<double>> outputs(program.outputs.size());
  const auto read = [&](bool rows) {
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (program.outputs[o].row == rows)
        for (const OutputPiece& piece : program.outputs[o].pieces)
          for (int k = 0; k < piece.count; ++k) outputs[o].push_back(m.at(piece.from, k));
  };
  if (block == 0) block = std::max<std::size_t>(1, points);
  for (std::size_t begin = 0; begin < points; begin += block) {
    // Lanes that are not written are not read.
    Block lanes(std::min(block, points - begin),
                std::vector<double>(std::size_t(program.lanes), 1e300));
    for (const RowInput& row : program.rows)
      for (std::size_t c = 0; c < row.lanes.size(); ++c)
        for (std::size_t p = 0; p < lanes.size() && row.lanes[c] >= 0; ++p)
          lanes[p][std::size_t(row.lanes[c])] =
              inputs.at(row.name)[(begin + p) * row.lanes.size() + c];
    run_body(program, m, lanes);
    for (std::vector<double>& point : lanes) {
      m.lanes.swap(point);
      read(true);
    }
  }
  for (const Instruction& i : program.epilogue) run(program, i, m);
  read(false);
  return outputs;
}

}  // namespace pinn::test
