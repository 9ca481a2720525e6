#include <algorithm>

#include "autograd/graph/build.h"
#include "autograd/graph/passes.h"
#include "autograd/graph/rules.h"

namespace pinn {
namespace {

using namespace match;
using Found = std::optional<int>;

Shape of_one_point(Shape shape) {
  shape[0] = 1;
  return shape;
}

/// True if a row is the same for every point: a repeated value, or a constant.
bool is_repeated(const Graph& g, int i) {
  const Value& x = g.values[i];
  if (x.extent != Extent::row) return false;
  return x.op == Primitive::constant ||
         (x.op == Primitive::expand && input(g, x, 0).extent != Extent::row);
}

/// Such a row for a single point.
int at_one_point(Graph& g, int i) {
  const Value x = g.values[i];
  if (x.op == Primitive::constant)
    return build::constant(g, x.numbers[0], of_one_point(x.shape), x.dtype);
  return build::expanded(g, x.inputs[0], of_one_point(x.shape));
}

/// Computes for one point what is the same for every point: f(expand x) -> expand f(x), for any f.
Found same_for_all_points(Graph& g, const Value& v) {
  if (!is_row(v.shape) || v.op == Primitive::expand) return {};
  const auto is_fixed = [&](int i) { return i < 0 || g.values[i].extent != Extent::row; };
  if (std::all_of(v.inputs.begin(), v.inputs.end(), is_fixed)) return {};
  for (const int i : v.inputs)
    if (!is_fixed(i) && !is_repeated(g, i)) return {};
  std::vector<int> inputs;
  for (const int i : v.inputs) inputs.push_back(is_fixed(i) ? i : at_one_point(g, i));
  Value once = v;
  once.shape = of_one_point(v.shape);
  return build::expanded(g, build::redone(g, std::move(once), std::move(inputs)), v.shape);
}

/// x^T g, where one of the two is the same for every point -> x_0^T (the sum of g over the points)
Found contract_of_repeated(Graph& g, const Value& v) {
  if (v.op != Primitive::contract) return {};
  for (const int n : {0, 1}) {
    if (!is_repeated(g, v.inputs[n])) continue;
    const Shape other = input(g, v, 1 - n).shape;
    std::vector<int> inputs(2);
    inputs[n] = at_one_point(g, v.inputs[n]);
    inputs[1 - n] = build::summed(g, v.inputs[1 - n], of_one_point(other));
    return build::redone(g, v, std::move(inputs));
  }
  return {};
}

/// (x^T g)^T -> g^T x
Found transposed_contract(Graph& g, const Value& v) {
  if (v.op != Primitive::transpose || v.axis == v.axis2) return {};
  const Value& product = input(g, v, 0);
  if (product.op != Primitive::contract) return {};
  return build::redone(g, product, {product.inputs[1], product.inputs[0]});
}

/// True if x is zeros around something along its last axis.
bool is_framed(const Value& x) { return x.op == Primitive::embed && x.axis == x.shape.rank() - 1; }

/// [0 x 0] W -> x W', with the rows of W that do not meet zeros
Found product_of_embed(Graph& g, const Value& v) {
  if (v.op != Primitive::matmul || !is_framed(input(g, v, 0))) return {};
  const Value x = input(g, v, 0);
  const std::int64_t size = input(g, x, 0).shape[x.axis];
  const int w = build::sliced(g, v.inputs[1], 0, x.begin, size);
  return build::redone(g, v, {x.inputs[0], w});
}

/// [0 x 0]^T g -> zeros around x^T g, and alike for g
Found contract_of_embed(Graph& g, const Value& v) {
  if (v.op != Primitive::contract) return {};
  for (const int n : {0, 1}) {
    const Value x = input(g, v, n);
    if (!is_framed(x)) continue;
    std::vector<int> inputs = v.inputs;
    inputs[n] = x.inputs[0];
    return build::embedded(g, build::redone(g, v, std::move(inputs)), v.shape, n, x.begin);
  }
  return {};
}

constexpr Rewrite of_products[] = {
    {"same for all points", same_for_all_points}, {"contract of repeated", contract_of_repeated},
    {"transposed contract", transposed_contract}, {"product of embed", product_of_embed},
    {"contract of embed", contract_of_embed},
};

}  // namespace

std::span<const Rewrite> product_rewrites() { return of_products; }

}  // namespace pinn
