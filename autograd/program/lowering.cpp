#include "autograd/program/lowering.h"

#include <bit>

#include "autograd/core/error.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/float_format.h"

namespace pinn {
namespace {

bool is_row(const Value& v) { return v.extent == Extent::row; }

/// The shape of the elements at one point.
Shape inner_shape(const Value& v) { return is_row(v) ? v.shape.removed(0) : v.shape; }

int count_of(const Value& v) { return int(inner_shape(v).numel()); }

[[noreturn]] void refuse(const Value& v, const std::string& why) {
  throw EngineError({"a compiled step cannot do this: " + std::string(name_of(v.op)) + " " + why,
                     to_string(inner_shape(v)), "run eagerly, or write the formula differently"});
}

/// Calls f(index in y, index in x) for every element of y, x being broadcast to y's shape.
template <class F> void each_broadcast(const Shape& y, const Shape& x, F&& f) {
  const Sizes strides = contiguous_strides(x);
  Sizes steps{};
  const int shift = y.rank() - x.rank();
  for (int i = 0; i < x.rank(); ++i) steps[i + shift] = x[i] == 1 ? 0 : strides[i];
  Sizes at{};
  const std::int64_t n = y.numel();
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t from = 0;
    for (int a = 0; a < y.rank(); ++a) from += at[a] * steps[a];
    f(std::size_t(i), std::size_t(from));
    for (int a = y.rank() - 1; a >= 0 && ++at[a] == y[a]; --a) at[a] = 0;
  }
}

/// As many places as y has elements at a point, x repeated where it is broadcast. A fixed x has
/// the shape of all of y but may lack its points.
Cells broadcast_places(const Value& y, const Value& x, const Cells& p) {
  Shape from = inner_shape(x);
  if (is_row(y) && !is_row(x) && from.rank() == y.shape.rank()) from = from.removed(0);
  Cells all(std::size_t(count_of(y)));
  each_broadcast(inner_shape(y), from, [&](std::size_t i, std::size_t j) { all[i] = p[j]; });
  return all;
}

/// [channels, features] at a point: what a jet or the operand of a product is made of.
struct Block {
  explicit Block(const Value& v) {
    const Shape s = inner_shape(v);
    features = s.rank() > 0 ? int(s[s.rank() - 1]) : 1;
    channels = features > 0 ? int(s.numel()) / features : 1;
  }
  int channels, features;
};

/// Positions of [channels, features], feature by feature.
std::vector<int> by_features(int channels, int features) {
  std::vector<int> order;
  for (int f = 0; f < features; ++f)
    for (int c = 0; c < channels; ++c) order.push_back(c * features + f);
  return order;
}

/// The lanes of a block as the elements of [channels, features].
Cells block_places(int first, int channels, int features) {
  Cells p(std::size_t(channels * features));
  for (int c = 0; c < channels; ++c)
    for (int f = 0; f < features; ++f)
      p[std::size_t(c * features + f)] = {Memory::lane, first + f * channels + c};
  return p;
}

/// What the rows of a graph are made of; sums and fixed values are float64 anyway.
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
          last.from.step = p.at - last.from.at;
        if (last.from.memory == p.memory && last.from.at + last.count * last.from.step == p.at) {
          ++last.count;
          continue;
        }
        if (last.count == 1) last.from.step = 0;
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
    case Primitive::transpose:
    case Primitive::slice:
    case Primitive::expand:
    case Primitive::gather:
      return rearranged(v);
    case Primitive::embed:
      return embedded(v);
    case Primitive::concat:
      return joined(v);
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
    default:
      return pointwise(v);
  }
}

Cells Lowering::input(const Value& v) {
  const int count = count_of(v);
  if (is_row(v)) {
    RowInput row{v.name, {}};
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
  program_.fixed.push_back({v.name, count > 0 ? places[0].at : 0, count});
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

Cells Lowering::rearranged(const Value& v) {
  const Value& x = input_of(v, 0);
  const Cells& from = of(v, 0);
  if (v.op == Primitive::expand) return broadcast_places(v, x, from);
  const Shape inner = inner_shape(v), source = inner_shape(x);
  const int points = is_row(v) ? 1 : 0;
  const int axis = v.axis - points, axis2 = v.axis2 - points;
  if (axis < 0) return from;  // a graph leaves the points alone
  const Sizes strides = contiguous_strides(source);
  Cells out(std::size_t(inner.numel()));
  Sizes at{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::int64_t j = 0;
    for (int a = 0; a < inner.rank(); ++a) {
      if (v.op == Primitive::transpose) {
        const int to = a == axis ? axis2 : a == axis2 ? axis : a;
        j += at[a] * strides[to];
      } else if (v.op == Primitive::gather) {
        j += (a == axis ? v.indices[std::size_t(at[a])] : at[a]) * strides[a];
      } else {
        j += (at[a] + (a == axis ? v.begin : 0)) * strides[a];
      }
    }
    out[i] = from[std::size_t(j)];
    for (int a = inner.rank() - 1; a >= 0 && ++at[a] == inner[a]; --a) at[a] = 0;
  }
  return out;
}

Cells Lowering::embedded(const Value& v) {
  const Shape inner = inner_shape(v), part = inner_shape(input_of(v, 0));
  const int axis = v.axis - (is_row(v) ? 1 : 0);
  const Cells& from = of(v, 0);
  if (axis < 0) return from;  // a graph leaves the points alone
  Cells out(std::size_t(inner.numel()), number(0));
  const Sizes strides = contiguous_strides(inner);
  Sizes at{};
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::int64_t j = v.begin * strides[axis];
    for (int a = 0; a < part.rank(); ++a) j += at[a] * strides[a];
    out[std::size_t(j)] = from[i];
    for (int a = part.rank() - 1; a >= 0 && ++at[a] == part[a]; --a) at[a] = 0;
  }
  return out;
}

Cells Lowering::joined(const Value& v) {
  const Shape inner = inner_shape(v);
  const int axis = v.axis - (is_row(v) ? 1 : 0);
  if (axis < 0) return of(v, 0);  // a graph leaves the points alone
  std::int64_t outer = 1, step = 1;
  for (int i = 0; i < axis; ++i) outer *= inner[i];
  for (int i = axis + 1; i < inner.rank(); ++i) step *= inner[i];
  Cells out;
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::size_t k = 0; k < v.inputs.size(); ++k) {
      const Value& x = input_of(v, int(k));
      // A fixed part among rows has its points' axis still, of size 1.
      const Shape part = is_row(v) && !is_row(x) ? x.shape.removed(0) : inner_shape(x);
      const std::int64_t n = part[axis] * step;
      const Cells& from = of(v, int(k));
      out.insert(out.end(), from.begin() + o * n, from.begin() + (o + 1) * n);
    }
  return out;
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
  const Block block(v);
  return elementwise(op, operands[0], operands[1], operands[2],
                     by_features(block.channels, block.features));
}

Cells Lowering::summed(const Value& v) {
  const Value& x = input_of(v, 0);
  const Cells& from = of(v, 0);
  const bool over_points = is_row(x) && !is_row(v);
  // Where each element of x goes: broadcasting v's shape to x's says it.
  Shape to = inner_shape(v);
  if (over_points && v.shape.rank() == x.shape.rank()) to = to.removed(0);
  std::vector<std::vector<Cell>> groups(static_cast<std::size_t>(count_of(v)));
  each_broadcast(inner_shape(x), to,
                 [&](std::size_t i, std::size_t j) { groups[j].push_back(from[i]); });
  if (!over_points) {
    Cells out;
    Instruction add;
    add.step = Step::binary;
    add.id = binary_id<op::Add>;
    for (const std::vector<Cell>& group : groups) {
      Cell sum = number(0);
      for (const Cell& p : group) sum = elementwise(add, {sum}, {p}, {}, {0})[0];
      out.push_back(sum);
    }
    return out;
  }
  const Cells sums = new_places(Memory::sum, count_of(v));
  std::size_t longest = 0;
  for (const auto& group : groups) longest = std::max(longest, group.size());
  for (std::size_t k = 0; k < longest; ++k) {
    Cells lanes;
    for (const auto& group : groups) lanes.push_back(group[k]);
    Instruction copy;
    for (Cell& p : lanes)
      if (p.memory != Memory::lane) {  // a number that is the same at all points is added as often
        const Cells lane = new_places(Memory::lane, 1);
        emit_runs(copy, lane, {p}, {}, {});
        p = lane[0];
      }
    Instruction sum;
    sum.step = Step::sum;
    emit_runs(sum, sums, lanes, {}, {});
  }
  return sums;
}

Cells Lowering::product(const Value& v) {
  const Value& x = input_of(v, 0);
  const Block in(x), out(v);
  if (!is_row(x)) {
    Cells y = small_product(of(v, 0), in.channels, in.features, of(v, 1), out.features);
    if (v.op == Primitive::linear) refuse(v, "of a jet that is the same at all points");
    return y;
  }
  Instruction p;
  p.step = Step::product;
  p.channels = in.channels;
  p.k = in.features;
  p.n = out.features;
  p.a = {Memory::lane, regular_block(of(v, 0), in.channels, in.features), 1};
  Weights w = weights_of(of(v, 1), in.features, out.features);
  if (v.op == Primitive::linear) {
    const Weights bias = weights_of(of(v, 2), 1, out.features);
    w.bias = bias.at;
    w.bias_step = bias.column;
  }
  p.weights = int(program_.weights.size());
  program_.weights.push_back(w);
  const Cells lanes = new_places(Memory::lane, out.channels * out.features);
  p.out = {Memory::lane, lanes[0].at, 1};
  p.count = out.channels * out.features;
  program_.body.push_back(p);
  return block_places(lanes[0].at, out.channels, out.features);
}

Cells Lowering::contraction(const Value& v) {
  const Value &x = input_of(v, 0), &g = input_of(v, 1);
  const Block a(is_row(x) ? x : g), left(x), right(g);
  if (!is_row(x) && !is_row(g)) {
    Cells transposed;
    for (const int i : by_features(left.channels, left.features))
      transposed.push_back(of(v, 0)[std::size_t(i)]);
    return small_product(transposed, left.features, left.channels, of(v, 1), right.features);
  }
  Instruction c;
  c.step = Step::contract;
  c.channels = a.channels;
  c.k = left.features;
  c.n = right.features;
  c.a = {Memory::lane, regular_block(of(v, 0), a.channels, c.k), 1};
  c.b = {Memory::lane, regular_block(of(v, 1), a.channels, c.n), 1};
  const Cells sums = new_places(Memory::sum, c.k * c.n);
  c.out = {Memory::sum, sums[0].at, 1};
  c.count = c.k * c.n;
  program_.body.push_back(c);
  return sums;
}

Cells Lowering::small_product(const Cells& x, int m, int k, const Cells& w, int n) {
  Instruction add, mul;
  add.step = mul.step = Step::binary;
  add.id = binary_id<op::Add>;
  mul.id = binary_id<op::Mul>;
  std::vector<int> order;
  for (int i = 0; i < m * n; ++i) order.push_back(i);
  Cells y(std::size_t(m * n), number(0));
  for (int l = 0; l < k; ++l) {
    Cells left, right;
    for (int i = 0; i < m * n; ++i) {
      left.push_back(x[std::size_t(i / n * k + l)]);
      right.push_back(w[std::size_t(l * n + i % n)]);
    }
    y = elementwise(add, y, elementwise(mul, left, right, {}, order), {}, order);
  }
  return y;
}

Cells Lowering::jet(const Value& v) {
  const Block block(v);
  Instruction j;
  j.step = v.op == Primitive::jet            ? Step::jet
           : v.op == Primitive::jet_pullback ? Step::jet_pullback
           : v.op == Primitive::jet_mul      ? Step::jet_mul
                                             : Step::jet_mul_transposed;
  j.id = v.id;
  j.parameter = v.parameter;
  j.k = v.k;
  j.table = table_of(v.table);
  j.channels = block.channels;
  j.count = block.features;
  Operand* operands[] = {&j.a, &j.b};
  for (std::size_t i = 0; i < v.inputs.size(); ++i) {
    const Block own(input_of(v, int(i)));
    *operands[i] = {Memory::lane, regular_block(of(v, int(i)), own.channels, own.features),
                    own.features == 1 && block.features > 1 ? 0 : block.channels};
  }
  const Cells lanes = new_places(Memory::lane, block.channels * block.features);
  j.out = {Memory::lane, lanes[0].at, block.channels};
  if (j.step == Step::jet_pullback) keep_slopes(j);
  program_.body.push_back(j);
  return block_places(lanes[0].at, block.channels, block.features);
}

void Lowering::keep_slopes(Instruction& pullback) {
  for (Instruction& i : program_.body) {
    if (i.step != Step::jet || i.id != pullback.id || i.parameter != pullback.parameter ||
        i.k != pullback.k || i.table != pullback.table || i.a.at != pullback.a.at)
      continue;
    if (i.d.memory == Memory::none)
      i.d = {Memory::lane, new_places(Memory::lane, i.count)[0].at, 1};
    pullback.c = i.out;
    pullback.d = i.d;
    return;
  }
}

Cells Lowering::rounded(const Value& v) {
  if (v.extent == Extent::sum) refuse(v, "a sum over the points");
  if (count_of(v) == 0) return {};
  if (is_row(v)) {
    Instruction later;
    later.step = Step::unpack;
    later.count = 0;  // not packed yet
    later.id = v.id;
    packed_.emplace(int(places_.size()), later);
    return {};
  }
  Cells from = of(v, 0), to = new_places(Memory::fixed, count_of(v));
  const Weights together = weights_of(from, 1, int(from.size()));
  Instruction round;
  round.step = Step::round;
  round.id = v.id;
  round.k = v.dtype == DType::float32 ? 1 : 0;
  round.out = {Memory::fixed, to[0].at, 1};
  round.a = {Memory::fixed, together.at, together.column};
  round.count = int(from.size());
  program_.prologue.push_back(round);
  return to;
}

void Lowering::pack(int rounded_value) {
  const Value& v = graph_.values[std::size_t(rounded_value)];
  const Block block(v);
  const int lanes = block.channels * block.features;
  Instruction& unpacks = packed_.at(rounded_value);
  Instruction packs = unpacks;
  packs.step = Step::pack;
  packs.count = lanes;
  packs.a = {Memory::lane, regular_block(of(v, 0), block.channels, block.features), 1};
  // What a lane holds more than the codes holds the scale: at least a byte per point is left.
  packs.k = lanes * float_formats[v.id].bytes() / int(size_of(program_.dtype)) + 1;
  packs.out = {Memory::lane, new_places(Memory::lane, packs.k)[0].at, 1};
  program_.body.push_back(packs);
  unpacks.a = packs.out;
  unpacks.k = packs.k;
  unpacks.count = lanes;
}

void Lowering::unpack(int rounded_value) {
  if (packed_.at(rounded_value).count == 0) pack(rounded_value);
  Instruction unpacks = packed_.at(rounded_value);
  packed_.erase(rounded_value);
  const Block block(graph_.values[std::size_t(rounded_value)]);
  const Cells lanes = new_places(Memory::lane, unpacks.count);
  unpacks.out = {Memory::lane, lanes[0].at, 1};
  program_.body.push_back(unpacks);
  places_[std::size_t(rounded_value)] = block_places(lanes[0].at, block.channels, block.features);
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

int Lowering::regular_block(const Cells& p, int channels, int features) {
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

Weights Lowering::weights_of(const Cells& w, int k, int n) {
  for (const Cell& p : w)
    if (p.memory != Memory::fixed)
      throw EngineError({"a compiled step cannot use a sum over the points as weights", "matmul",
                         "run it in two steps"});
  Weights out{w[0].at, 0, 0, k, n, -1, 1};
  if (k > 1) out.row = w[std::size_t(n)].at - w[0].at;
  if (n > 1) out.column = w[1].at - w[0].at;
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < n; ++j)
      if (w[std::size_t(i * n + j)].at != out.at + i * out.row + j * out.column) {
        const Cells together = new_places(Memory::fixed, k * n);
        emit_runs(Instruction(), together, w, {}, {});
        return {together[0].at, n, 1, k, n, -1, 1};
      }
  return out;
}

int Lowering::table_of(const JetTablePtr& table) {
  for (std::size_t i = 0; i < program_.tables.size(); ++i)
    if (*program_.tables[i] == *table) return int(i);
  program_.tables.push_back(table);
  return int(program_.tables.size()) - 1;
}

}  // namespace pinn
