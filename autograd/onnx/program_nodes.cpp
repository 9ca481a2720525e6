#include "autograd/onnx/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "autograd/core/error.h"
#include "autograd/onnx/numbers.h"
#include "autograd/ops/jet_formulas.h"

namespace pinn::onnx {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw ConfigError({fmt::format("not yet: {} as ONNX", what), "an export to an .onnx file",
                     "leave the fields that need it out of --fields, or export values to a .csv"});
}

/// A lane: a row of a value, or a number that is known.
struct Row {
  int value = -1;  ///< -1: known
  std::int64_t row = 0;
  double number = 0;
};
using Rows = std::vector<Row>;

bool all_known(const Rows& rows) {
  return std::ranges::all_of(rows, [](const Row& r) { return r.value < 0; });
}

/// A program, instruction by instruction.
class Walk {
 public:
  Walk(const Program& program, std::span<const double> fixed, const TableNodes& tables,
       Nodes& nodes)
      : program_(program),
        fixed_(fixed),
        tables_(tables),
        nodes_(nodes),
        lanes_(std::size_t(program.lanes)) {}

  void put(int lane, const Num& x) { put(lane, x, 0); }
  void run(const Instruction& i);
  Num output(const OutputPiece& piece, int k) { return joined({row(piece.from, k)}); }

 private:
  using Formula = std::function<std::vector<Num>(const std::vector<Num>&)>;

  /// Number k of an operand, of channel c if it is a jet.
  Row row(const Operand& o, int k, int c = 0) const {
    const auto at = std::size_t(o.at + k * o.stride + c);
    return o.memory == Memory::lane    ? lanes_[at]
           : o.memory == Memory::fixed ? Row{-1, 0, fixed_[at]}
                                       : Row{};
  }
  void put(int lane, const Num& x, std::int64_t row) {
    const bool is_one = !x.in || nodes_.values()[std::size_t(x.value)].rows == 1;
    lanes_[std::size_t(lane)] = {x.in ? x.value : -1, is_one ? 0 : row, x.number};
  }
  Num joined(const Rows& rows);
  void apply(const Instruction& i, const std::vector<Rows>& operands, const Formula& formula);
  void elementwise(const Instruction& i);
  void jet(const Instruction& i);
  void product(const Instruction& i);
  void lookup(const Instruction& i);

  const Program& program_;
  std::span<const double> fixed_;
  const TableNodes& tables_;
  Nodes& nodes_;
  Rows lanes_;
};

/// These rows as one value: each stretch of them that are of one value already, on the others.
Num Walk::joined(const Rows& rows) {
  std::vector<Num> parts;
  for (std::size_t i = 0; i < rows.size();) {
    std::vector<std::int64_t> of_value;
    std::vector<double> known;
    const int value = rows[i].value;
    for (; i < rows.size() && rows[i].value == value; ++i) {
      of_value.push_back(rows[i].row);
      known.push_back(rows[i].number);
    }
    if (value < 0 && known.size() == rows.size()) return nodes_.column(known);
    parts.push_back(value < 0 ? nodes_.matrix(known, known.size())
                              : nodes_.rows_of({&nodes_, value}, of_value));
  }
  return nodes_.stacked(std::move(parts));
}

/// Applies a formula to operands [features] each: to all features at once whose operands are rows
/// of the same values, and to each by itself where all of them are known.
void Walk::apply(const Instruction& i, const std::vector<Rows>& operands, const Formula& formula) {
  std::map<std::vector<int>, std::vector<std::size_t>> alike;
  for (std::size_t k = 0; k < std::size_t(i.count); ++k) {
    std::vector<int> values;
    for (const Rows& rows : operands) values.push_back(rows[k].value);
    if (std::ranges::all_of(values, [](int v) { return v < 0; })) values.push_back(int(k));
    alike[values].push_back(k);
  }
  for (const auto& [values, features] : alike) {
    std::vector<Num> x;
    for (const Rows& all : operands) {
      Rows some;
      for (const std::size_t k : features) some.push_back(all[k]);
      const bool one =
          std::ranges::all_of(some, [&](const Row& r) { return r.row == some[0].row; });
      x.push_back(joined(one && some[0].value >= 0 ? Rows{some[0]} : some));
    }
    const std::vector<Num> y = formula(x);
    for (std::size_t c = 0; c < y.size(); ++c)
      for (std::size_t f = 0; f < features.size(); ++f)
        put(i.out.at + int(features[f]) * i.out.stride + int(c), y[c], std::int64_t(f));
  }
}

void Walk::elementwise(const Instruction& i) {
  std::vector<Rows> x(3);
  for (int k = 0; k < i.count; ++k) {
    const Row of[] = {row(i.a, k), row(i.b, k), row(i.c, k)};
    for (std::size_t o = 0; o < 3; ++o) x[o].push_back(of[o]);
  }
  apply(i, x, [&](const std::vector<Num>& abc) -> std::vector<Num> {
    return {applied(i.function, abc[0], abc[1], abc[2])};
  });
}

void Walk::jet(const Instruction& i) {
  const JetTable& table = *program_.tables[std::size_t(i.table)];
  const auto channels = std::size_t(table.size());
  std::vector<Rows> x;
  for (const Operand* o : {&i.a, &i.b})
    for (int c = 0; c < table.size() && o->memory != Memory::none; ++c) {
      x.emplace_back();
      for (int k = 0; k < i.count; ++k) x.back().push_back(row(*o, k, c));
    }
  apply(i, x, [&](const std::vector<Num>& both) {
    const auto second = both.begin() + std::ptrdiff_t(channels);
    const std::vector<Num> a(both.begin(), second), b(second, both.end());
    return i.opcode == Opcode::jet ? jet_of(i.function, i.derivative, table, a)
                                   : product_of(table, a, b);
  });
}

/// A product of the weights with each channel; the first gets the bias. (Gemm would do both at once,
/// but onnxruntime 1.15 joins it in float64 with a function for which it has no kernel then.)
void Walk::product(const Instruction& i) {
  const Weights& w = program_.weights[std::size_t(i.weights)];
  std::vector<double> weights, bias(std::size_t(w.n));
  for (int j = 0; j < w.n; ++j) {
    for (int l = 0; l < w.k; ++l)
      weights.push_back(fixed_[std::size_t(w.at + l * w.row + j * w.column)]);
    if (w.bias >= 0) bias[std::size_t(j)] = fixed_[std::size_t(w.bias + j * w.bias_stride)];
  }
  for (int c = 0; c < i.channels; ++c) {
    Rows x;
    for (int l = 0; l < w.k; ++l) x.push_back(row(i.a, l * i.channels + c));
    const bool with_bias = c == 0 && w.bias >= 0;
    std::vector<double> known = with_bias ? bias : std::vector<double>(bias.size());
    Num y;
    if (!all_known(x)) {
      y = nodes_.make("MatMul", {nodes_.matrix(weights, std::size_t(w.n)), joined(x)}, w.n);
      if (with_bias) y = y + nodes_.column(bias);
    }
    for (std::size_t j = 0; j < known.size(); ++j) {
      for (std::size_t l = 0; l < x.size(); ++l)
        known[j] += weights[j * x.size() + l] * x[l].number;
      put(i.out.at + int(j) * i.channels + c, y.in ? y : Num(known[j]), std::int64_t(j));
    }
  }
}

void Walk::lookup(const Instruction& i) {
  std::vector<Num> x;
  for (int k = 0; k < i.channels; ++k) x.push_back(joined({row(i.a, 0, k)}));
  put(i.out.at, tables_(*program_.sources[std::size_t(i.source)], i.order, x, nodes_));
}

void Walk::run(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::elementwise:
      return elementwise(i);
    case Opcode::product:
      return product(i);
    case Opcode::jet:
    case Opcode::jet_mul:
      return jet(i);
    case Opcode::lookup:
      return lookup(i);
    default:
      refuse(fmt::format("the instruction '{}'", name_of(i)));
  }
}

}  // namespace

std::vector<Num> outputs_of(const Program& program, std::span<const double> fixed,
                            const std::vector<Num>& columns, const TableNodes& tables,
                            Nodes& nodes) {
  if (program.rows.size() > 1 || program.sums > 0)
    refuse(
        fmt::format("'{}', which is more than a formula of the place", program.rows.back().name));
  Walk walk(program, fixed, tables, nodes);
  for (std::size_t c = 0; !program.rows.empty() && c < program.rows[0].lanes.size(); ++c)
    if (const int lane = program.rows[0].lanes[c]; lane >= 0) walk.put(lane, columns[c]);
  for (const Instruction& i : program.body) walk.run(i);
  std::vector<Num> all;
  for (const ProgramOutput& out : program.outputs)
    for (const OutputPiece& piece : out.pieces)
      for (int k = 0; k < piece.count; ++k) all.push_back(walk.output(piece, k));
  return all;
}

}  // namespace pinn::onnx
