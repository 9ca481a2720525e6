#include <algorithm>
#include <bit>
#include <tuple>
#include <unordered_map>

#include "autograd/graph/build.h"
#include "autograd/graph/passes.h"

namespace pinn {
namespace {

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_table(const Value& a, const Value& b) {
  return a.table == b.table || (a.table && b.table && *a.table == *b.table);
}

/// Enough of a value to tell most of them apart.
std::size_t hash_of(const Value& v) {
  std::size_t h = std::size_t(v.op);
  const auto mix = [&h](std::uint64_t n) { h = (h ^ n) * 0x9E3779B97F4A7C15u + (h >> 29); };
  for (const int i : v.inputs) mix(std::uint64_t(i));
  for (int i = 0; i < v.shape.rank(); ++i) mix(std::uint64_t(v.shape[i]));
  for (const int n :
       {int(v.dtype), v.function, v.derivative, v.format, v.axis, v.axis2, int(v.begin)})
    mix(std::uint64_t(n));
  for (const std::int64_t i : v.indices) mix(std::uint64_t(i));
  if (v.table) mix(v.table->hash());
  for (const auto n : v.order) mix(n);
  for (const double x : v.numbers) mix(std::bit_cast<std::uint64_t>(x));
  mix(std::bit_cast<std::uint64_t>(v.parameter));
  mix(std::hash<std::string>()(v.name));
  return h;
}

bool commutes(const Value& v) {
  return v.op == Primitive::binary &&
         (v.function == binary_id<op::Add> || v.function == binary_id<op::Mul>);
}

}  // namespace

bool same(const Value& a, const Value& b) {
  const auto key = [](const Value& v) {
    return std::tie(v.op, v.inputs, v.shape, v.dtype, v.function, v.derivative, v.format, v.axis,
                    v.axis2, v.begin, v.indices, v.name, v.source, v.order);
  };
  return key(a) == key(b) && same_bits(a.parameter, b.parameter) && same_table(a, b) &&
         std::equal(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end(),
                    same_bits);
}

bool same(const Graph& a, const Graph& b) {
  return a.outputs == b.outputs &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    [](const Value& x, const Value& y) { return same(x, y); });
}

Graph without_duplicates(Graph graph) {
  std::unordered_multimap<std::size_t, int> seen;
  seen.reserve(graph.values.size());
  return build::mapped(std::move(graph), [&](Graph& out, Value v) {
    if (commutes(v)) std::sort(v.inputs.begin(), v.inputs.end());
    const std::size_t hash = hash_of(v);
    const auto [first, last] = seen.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      ++pass_counts().compared;
      if (same(out.values[it->second], v)) return it->second;
    }
    const int at = out.add(std::move(v));
    seen.emplace(hash, at);
    return at;
  });
}

}  // namespace pinn
