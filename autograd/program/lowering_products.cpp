// Products.
#include <algorithm>
#include <numeric>

#include "autograd/core/error.h"
#include "autograd/program/lowering.h"

namespace pinn {
namespace {

/// So many channels that are the same at all points are worth looking at apart: those of the
/// coordinates, of which there may be a hundred and only the value moves.
constexpr int many_channels = 8;

}  // namespace

std::vector<bool> Lowering::moving_channels(const Cells& x, const Channels& of) const {
  std::vector<bool> moving(std::size_t(of.channels), false);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i].memory == Memory::lane) moving[i / std::size_t(of.features)] = true;
  const auto count = std::count(moving.begin(), moving.end(), true);
  if (count == 0 || of.channels - count <= many_channels)
    moving.assign(std::size_t(of.channels), true);
  return moving;
}

Cells Lowering::channels_of(const Cells& x, int features, const std::vector<bool>& moving,
                            bool which) {
  Cells some;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (moving[i / std::size_t(features)] == which) some.push_back(x[i]);
  return some;
}

/// The bias is one of the value: of the first channel of each jet [..., channels, features].
void Lowering::add_bias(Cells& y, const Shape& jets, const Cells& bias) {
  const std::size_t features = bias.size();
  const std::size_t channels = jets.rank() > 2 ? std::size_t(jets[jets.rank() - 2]) : 1;
  std::vector<int> order(features);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t at = 0; at < y.size(); at += channels * features) {
    const auto value = y.begin() + std::ptrdiff_t(at);
    std::ranges::copy(elementwise(binary_function<op::Add>,
                                  Cells(value, value + std::ptrdiff_t(features)), bias, {}, order),
                      value);
  }
}

namespace {

/// Channels in their order, out of those that move and those that do not.
Cells merged(const std::vector<bool>& moving, const Cells& moved, const Cells& still,
             int features) {
  Cells all;
  auto next_moved = moved.begin(), next_still = still.begin();
  for (const bool moves : moving) {
    auto& next = moves ? next_moved : next_still;
    all.insert(all.end(), next, next + features);
    next += features;
  }
  return all;
}

}  // namespace

Cells Lowering::product(const Value& v) {
  const Value& x = input_of(v, 0);
  const Channels in(x), out(v);
  if (!is_row(x)) {
    Cells y = small_product(of(v, 0), in.channels, in.features, of(v, 1), out.features);
    if (v.op == Primitive::linear) add_bias(y, x.shape, of(v, 2));
    return y;
  }
  const std::vector<bool> moving = moving_channels(of(v, 0), in);
  const int channels = int(std::count(moving.begin(), moving.end(), true));
  Instruction p;
  p.opcode = Opcode::product;
  p.channels = channels;
  p.k = in.features;
  p.n = out.features;
  p.a = {Memory::lane,
         regular_lanes(channels_of(of(v, 0), in.features, moving, true), channels, in.features), 1};
  Weights w = weights_of(of(v, 1), in.features, out.features);
  if (v.op == Primitive::linear) {
    const Weights bias = weights_of(of(v, 2), 1, out.features);
    w.bias = bias.at;
    w.bias_stride = bias.column;
  }
  p.weights = int(program_.weights.size());
  program_.weights.push_back(w);
  const Cells lanes = new_places(Memory::lane, channels * out.features);
  p.out = {Memory::lane, lanes[0].at, 1};
  p.count = channels * out.features;
  program_.body.push_back(p);
  const Cells moved = places_of_lanes(lanes[0].at, channels, out.features);
  if (channels == in.channels) return moved;
  const Cells still = small_product(channels_of(of(v, 0), in.features, moving, false),
                                    in.channels - channels, in.features, of(v, 1), out.features);
  return merged(moving, moved, still, out.features);
}

Cells Lowering::contraction(const Value& v) {
  const Value &x = input_of(v, 0), &g = input_of(v, 1);
  const Channels a(is_row(x) ? x : g), left(x), right(g);
  if (!is_row(x) && !is_row(g)) {
    Cells transposed;
    for (const int i : by_features(left.channels, left.features))
      transposed.push_back(of(v, 0)[std::size_t(i)]);
    return small_product(transposed, left.features, left.channels, of(v, 1), right.features);
  }
  const std::vector<bool> moving = moving_channels(of(v, 0), left);
  const auto moving_of = [&](int i, int features) {
    return channels_of(of(v, i), features, moving, true);
  };
  Instruction c;
  c.opcode = Opcode::contract;
  c.channels = int(std::count(moving.begin(), moving.end(), true));
  c.k = left.features;
  c.n = right.features;
  c.a = {Memory::lane, regular_lanes(moving_of(0, c.k), c.channels, c.k), 1};
  c.b = {Memory::lane, regular_lanes(moving_of(1, c.n), c.channels, c.n), 1};
  const Cells sums = new_places(Memory::sum, c.k * c.n);
  c.out = {Memory::sum, sums[0].at, 1};
  c.count = c.k * c.n;
  program_.body.push_back(c);
  if (c.channels == a.channels) return sums;
  const Cells still = still_contraction(v, moving);
  std::vector<int> order;
  for (int i = 0; i < c.count; ++i) order.push_back(i);
  return elementwise(binary_function<op::Add>, sums, still, {}, order);
}

Cells Lowering::still_contraction(const Value& v, const std::vector<bool>& moving) {
  const Channels left(input_of(v, 0)), right(input_of(v, 1));
  const Cells x = channels_of(of(v, 0), left.features, moving, false),
              g = channels_of(of(v, 1), right.features, moving, false);
  const int channels = int(x.size()) / left.features;
  const auto is_zero = [&](const Cell& cell) { return constant_at(cell) == 0.0; };
  Cells sums(g.size(), number(0)), added, to;
  for (int c = 0; c < channels; ++c) {
    const auto first = x.begin() + std::ptrdiff_t(c) * left.features;
    if (std::all_of(first, first + left.features, is_zero)) continue;
    for (std::size_t i = 0; i < std::size_t(right.features); ++i) {
      const std::size_t at = std::size_t(c * right.features) + i;
      if (is_zero(g[at])) continue;
      sums[at] = new_places(Memory::sum, 1)[0];
      added.push_back(g[at]);
      to.push_back(sums[at]);
    }
  }
  add_over_points(std::move(added), to);
  Cells transposed;
  for (const int i : by_features(channels, left.features)) transposed.push_back(x[std::size_t(i)]);
  return small_product(transposed, left.features, channels, sums, right.features);
}

Cells Lowering::small_product(const Cells& x, int m, int k, const Cells& w, int n) {
  Cells y(std::size_t(m * n), number(0));
  for (int l = 0; l < k; ++l) {
    std::vector<int> order, where;  // where x is no zero: of a hundred coordinates most are
    Cells left, right, sum;
    for (int i = 0; i < m * n; ++i) {
      const Cell& factor = x[std::size_t(i / n * k + l)];
      if (constant_at(factor) == 0.0) continue;
      order.push_back(int(order.size()));
      where.push_back(i);
      left.push_back(factor);
      right.push_back(w[std::size_t(l * n + i % n)]);
      sum.push_back(y[std::size_t(i)]);
    }
    const Cells term = elementwise(binary_function<op::Mul>, left, right, {}, order);
    const Cells added = elementwise(binary_function<op::Add>, sum, term, {}, order);
    for (std::size_t i = 0; i < where.size(); ++i) y[std::size_t(where[i])] = added[i];
  }
  return y;
}

Weights Lowering::weights_of(const Cells& w, int k, int n) {
  for (const Cell& p : w)
    if (p.memory != Memory::fixed)
      throw EngineError({p.memory == Memory::sum
                             ? "a compiled step cannot use a sum over the points as weights"
                             : "a compiled step cannot use values that differ from point to point "
                               "as weights",
                         "matmul", "run it in two steps"});
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

}  // namespace pinn
