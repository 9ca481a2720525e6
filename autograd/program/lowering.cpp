#include "autograd/program/lowering.h"

#include <bit>

namespace pinn {
namespace {

/// Number type of a graph's rows; sums and fixed values are float64 anyway.
DType float_type(const Graph& graph) {
  for (const Value& v : graph.values)
    if (is_row(v) && v.dtype == DType::float32) return v.dtype;
  return DType::float64;
}

}  // namespace

Program Lowering::run() {
  program_.dtype = float_type(graph_);
  last_use_.assign(graph_.values.size(), -1);
  for (std::size_t i = 0; i < graph_.values.size(); ++i)
    for (const int input : graph_.values[i].inputs)
      if (input >= 0 && graph_.values[i].op != Primitive::round)
        last_use_[std::size_t(input)] = int(i);
  for (const Value& v : graph_.values) {
    places_.push_back(lower(v));
    const int now = int(places_.size()) - 1;
    for (const auto& [value, instruction] : packed_)
      if (instruction.count == 0 &&
          last_use_[std::size_t(graph_.values[std::size_t(value)].inputs[0])] <= now)
        pack(value);
  }
  for (const int i : graph_.outputs) {
    const Value& v = graph_.values[std::size_t(i)];
    ProgramOutput out{is_row(v), count_of(v), {}};
    for (const Cell& p : places_of(i)) {
      if (!out.pieces.empty()) {
        OutputPiece& last = out.pieces.back();
        if (last.count == 1 && last.from.memory == p.memory && p.at >= last.from.at)
          last.from.stride = p.at - last.from.at;
        if (last.from.memory == p.memory && last.from.at + last.count * last.from.stride == p.at) {
          ++last.count;
          continue;
        }
        if (last.count == 1) last.from.stride = 0;
      }
      out.pieces.push_back({{p.memory, p.at, 0}, 1});
    }
    program_.outputs.push_back(std::move(out));
  }
  return std::move(program_);
}

Cells Lowering::lower(const Value& v) {
  switch (v.op) {
    case Primitive::input:
      return input(v);
    case Primitive::constant:
      return constant(v);
    case Primitive::cast:
      if (is_row(v) && !(v.dtype == input_of(v, 0).dtype))
        refuse(v, "between number types within one step");
      return of(v, 0);
    case Primitive::reshape:
      return of(v, 0);
    case Primitive::expand:
      return broadcast_places(v, input_of(v, 0), of(v, 0));
    case Primitive::transpose:
    case Primitive::slice:
    case Primitive::gather:
    case Primitive::embed:
    case Primitive::concat:
      return moved(v);
    case Primitive::sum_to:
      return summed(v);
    case Primitive::matmul:
    case Primitive::linear:
      return product(v);
    case Primitive::contract:
      return contraction(v);
    case Primitive::jet:
    case Primitive::jet_pullback:
    case Primitive::jet_mul:
    case Primitive::jet_mul_transposed:
      return jet(v);
    case Primitive::round:
      return rounded(v);
    case Primitive::lookup:
      return lookup(v);
    default:
      return pointwise(v);
  }
}

Cells Lowering::input(const Value& v) {
  const int count = count_of(v);
  if (is_row(v)) {
    RowInput row{v.name, {}, v.input};
    Cells lanes;
    for (int i = 0; i < count; ++i) {
      lanes.push_back(new_places(Memory::lane, 1)[0]);
      row.lanes.push_back(lanes.back().at);
    }
    program_.rows.push_back(std::move(row));
    return lanes;
  }
  if (v.extent == Extent::sum) refuse(v, "of a sum that is given from outside");
  const Cells places = new_places(Memory::fixed, count);
  program_.fixed.push_back({v.name, count > 0 ? places[0].at : 0, count, v.input});
  return places;
}

Cells Lowering::constant(const Value& v) {
  const std::size_t count = std::size_t(count_of(v));
  if (v.numbers.size() == 1) return Cells(count, number(v.numbers[0]));
  Cells places = new_places(Memory::fixed, int(count));
  for (std::size_t i = 0; i < count; ++i) {
    known_[places[i].at] = v.numbers[i];
    program_.constants.push_back({places[i].at, v.numbers[i]});
  }
  return places;
}

Cells Lowering::new_places(Memory memory, int count) {
  int& next = memory == Memory::lane    ? program_.lanes
              : memory == Memory::fixed ? program_.fixed_size
                                        : program_.sums;
  Cells places;
  for (int i = 0; i < count; ++i) places.push_back({memory, next++});
  return places;
}

Cell Lowering::number(double x) {
  const auto [found, is_new] = numbers_.try_emplace(std::bit_cast<std::uint64_t>(x), 0);
  if (is_new) {
    found->second = new_places(Memory::fixed, 1)[0].at;
    known_[found->second] = x;
    program_.constants.push_back({found->second, x});
  }
  return {Memory::fixed, found->second};
}

std::optional<double> Lowering::constant_at(const Cell& p) const {
  const auto found = p.memory == Memory::fixed ? known_.find(p.at) : known_.end();
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

int Lowering::regular_lanes(const Cells& p, int channels, int features) {
  const int first = p[0].at;
  bool regular = true;
  for (int c = 0; c < channels && regular; ++c)
    for (int f = 0; f < features && regular; ++f) {
      const Cell& at = p[std::size_t(c * features + f)];
      regular = at.memory == Memory::lane && at.at == first + f * channels + c;
    }
  if (regular) return first;
  Cells from, to = new_places(Memory::lane, channels * features);
  for (const int i : by_features(channels, features)) from.push_back(p[std::size_t(i)]);
  emit_runs(Instruction(), to, from, {}, {});
  return to[0].at;
}

int Lowering::table_of(const JetTablePtr& table) {
  for (std::size_t i = 0; i < program_.tables.size(); ++i)
    if (*program_.tables[i] == *table) return int(i);
  program_.tables.push_back(table);
  return int(program_.tables.size()) - 1;
}

}  // namespace pinn
