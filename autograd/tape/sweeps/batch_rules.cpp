#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/ops/binary.h"
#include "autograd/tape/batch.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/primitives/primitives.h"

namespace pinn::batch {
namespace {

[[noreturn]] void not_linear(const char* what) {
  throw EngineError({std::string(what) + " of batched gradients and others, or of two batched ones",
                     "gradients of samples that depend on each other, or a derivative formula that "
                     "is not linear in the gradient",
                     "call grad() for one seed after another"});
}

std::int64_t batch_size(const Tensor& t) {
  const Batch& b = *batch_of(t);
  return (b.elements.defined() ? b.elements : b.products[0].x).shape()[0];
}

/// t as an operand beside members of `rank` axes: its own axes stay the last ones.
Tensor aligned(const Tensor& t, int rank) {
  if (!batch_of(t)) return t;
  Shape shape = t.shape();
  while (shape.rank() < rank) shape = shape.inserted(0, 1);
  return primitive::reshape(members(t), members_shape(batch_size(t), shape));
}

/// [size, rows..., n] as [rows, size n]: the members side by side, so that one product does for
/// all.
Tensor side_by_side(const Tensor& all) {
  const std::int64_t size = all.shape()[0], n = all.shape()[all.rank() - 1];
  const std::int64_t rows = all.shape().removed(all.rank() - 1).removed(0).numel();
  const Tensor flat = primitive::reshape(all, {size, rows, n});
  return primitive::reshape(primitive::transpose(flat, 0, 1), {rows, size * n});
}

/// The inverse: [rows, size n] as [size, shape...].
Tensor one_by_one(const Tensor& wide, std::int64_t size, const Shape& shape) {
  const std::int64_t rows = wide.shape()[0];
  const Tensor apart = primitive::reshape(wide, {rows, size, shape[shape.rank() - 1]});
  return primitive::reshape(primitive::transpose(apart, 0, 1), members_shape(size, shape));
}

/// x [..., k] as [rows, k].
Tensor as_rows(const Tensor& x) {
  const int last = x.rank() - 1;
  return primitive::reshape(x, {x.shape().removed(last).numel(), x.shape()[last]});
}

/// The sum; products of rows stay as they are, in case only their norms are asked for.
Tensor sum(const Batch& a, const Batch& b) {
  Batch both = a;
  both.products.insert(both.products.end(), b.products.begin(), b.products.end());
  if (a.elements.defined() && b.elements.defined())
    both.elements = primitive::binary(binary_id<op::Add>, a.elements, b.elements);
  else if (b.elements.defined())
    both.elements = b.elements;
  return batched(std::move(both));
}

/// x [b, n, k] w [b, k, m], where one has members: they stand side by side in each of b products.
Tensor products(const Tensor& x, const Tensor& w) {
  const PerRow off(-1);
  const std::int64_t b = x.shape()[0], n = x.shape()[1], k = x.shape()[2], m = w.shape()[2];
  if (batch_of(x)) {
    const std::int64_t size = batch_size(x);
    const Tensor inner = primitive::transpose(members(x), 0, 1);  // [b, size, n, k]
    const Tensor y = primitive::matmul(primitive::reshape(inner, {b, size * n, k}), w);
    return batched(primitive::transpose(primitive::reshape(y, {b, size, n, m}), 0, 1));
  }
  const std::int64_t size = batch_size(w);
  const Tensor inner = primitive::transpose(primitive::transpose(members(w), 0, 1), 1, 2);
  const Tensor y = primitive::matmul(x, primitive::reshape(inner, {b, k, size * m}));
  const Tensor apart = primitive::transpose(primitive::reshape(y, {b, n, size, m}), 1, 2);
  return batched(primitive::transpose(apart, 0, 1));
}

}  // namespace

Tensor unary(int id, double parameter, const Tensor& x) {
  return batched(primitive::unary(id, parameter, members(x)));
}

Tensor unary_pullback(int id, double parameter, const Tensor& x, const Tensor& y, const Tensor& g) {
  const Tensor one = ones(g.shape(), g.dtype(), g.device());
  const Tensor slope = primitive::unary_pullback(id, parameter, x, y, one);
  const bool masked = visit_unary(id, [&]<class Op>() { return masks<Op>(parameter); });
  return binary(masked ? binary_id<op::Masked> : binary_id<op::Mul>, g, slope);
}

Tensor binary(int id, const Tensor& x, const Tensor& y) {
  const Batch *a = batch_of(x), *b = batch_of(y);
  const bool adds = id == binary_id<op::Add>, subtracts = id == binary_id<op::Sub>;
  const bool product = id == binary_id<op::Mul> || id == binary_id<op::Masked>;
  const bool linear = adds || subtracts ? a && b
                      : product         ? !(a && b)
                                        : id == binary_id<op::Div> && !b;
  if (!linear) not_linear(binary_name(id).data());
  if (adds && x.shape() == y.shape()) return sum(*a, *b);
  const int rank = std::max(x.rank(), y.rank());
  return batched(primitive::binary(id, aligned(x, rank), aligned(y, rank)));
}

Tensor ternary(int id, const Tensor& mask, const Tensor& x, const Tensor& y) {
  const int rank = std::max({mask.rank(), x.rank(), y.rank()});
  return batched(primitive::ternary(id, mask, aligned(x, rank), aligned(y, rank)));
}

Tensor cast(const Tensor& x, DType dtype) { return batched(primitive::cast(members(x), dtype)); }

Tensor sum_to(const Tensor& x, const Shape& shape) {
  const Tensor all = members(x);
  Shape thick = shape;
  while (thick.rank() < x.rank()) thick = thick.inserted(0, 1);
  const Tensor sums = primitive::sum_to(all, thick.inserted(0, all.shape()[0]));
  return batched(primitive::reshape(sums, shape.inserted(0, all.shape()[0])));
}

Tensor reshape(const Tensor& x, const Shape& shape) {
  return batched(primitive::reshape(members(x), members_shape(batch_size(x), shape)));
}

Tensor transpose(const Tensor& x, int a, int b) {
  return batched(primitive::transpose(members(x), a + 1, b + 1));
}

Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end) {
  return batched(primitive::slice(members(x), axis + 1, begin, end));
}

Tensor expand(const Tensor& x, const Shape& shape) {
  const Shape all = members_shape(batch_size(x), shape);
  return batched(primitive::expand(aligned(x, shape.rank()), all));
}

Tensor embed(const Tensor& x, const Shape& shape, int axis, std::int64_t begin) {
  return batched(
      primitive::embed(members(x), members_shape(batch_size(x), shape), axis + 1, begin));
}

Tensor concat(const std::vector<Tensor>& parts, int axis) {
  const auto some = std::find_if(parts.begin(), parts.end(), batch_of);
  std::vector<Tensor> all;
  for (const Tensor& p : parts) all.push_back(members(p, batch_size(*some)));
  return batched(primitive::concat(all, axis + 1));
}

Tensor gather(const Tensor& x, int axis, const std::vector<std::int64_t>& indices) {
  return batched(primitive::gather(members(x), axis + 1, indices));
}

Tensor matmul(const Tensor& x, const Tensor& w) {
  if (batch_of(x) && batch_of(w)) not_linear("a product");
  if (w.rank() > 2) return products(x, w);
  if (!batch_of(w)) return batched(primitive::matmul(members(x), w));
  Shape shape = x.shape();
  shape[x.rank() - 1] = w.shape()[1];
  const Tensor wide = primitive::matmul(as_rows(x), side_by_side(members(w)));
  return batched(one_by_one(wide, batch_size(w), shape));
}

Tensor contract(const Tensor& x, const Tensor& g) {
  if (batch_of(x) && batch_of(g)) not_linear("a product");
  if (batch_of(x)) return batch::transpose(batch::contract(g, x), 0, 1);
  const PerRow off(-1);
  const Tensor wide = primitive::contract(as_rows(x), side_by_side(members(g)));
  return batched(one_by_one(wide, batch_size(g), {wide.shape()[0], g.shape()[g.rank() - 1]}));
}

Tensor jet_pullback(int id, double parameter, int k, const JetTablePtr& table, const Tensor& h,
                    const Tensor& ybar) {
  return jet_mul(table, true, ybar, primitive::jet(id, parameter, k + 1, table, h));
}

// The members' points stand one after another: one sweep for all.
Tensor jet_mul(const JetTablePtr& table, bool transposed, const Tensor& a, const Tensor& b) {
  if (batch_of(a) && batch_of(b)) not_linear("a product of jets");
  const std::int64_t size = batch_size(batch_of(a) ? a : b), points = a.shape()[0];
  const auto flat = [&](const Tensor& t) {
    return primitive::reshape(members(t, size), {size * points, t.shape()[1], t.shape()[2]});
  };
  const Tensor y = primitive::jet_mul(table, transposed, flat(a), flat(b));
  return batched(primitive::reshape(y, {size, points, y.shape()[1], y.shape()[2]}));
}

Tensor sum_each_row(const Tensor& x, const Shape& shape) {
  Shape kept = shape;
  while (kept.rank() < x.rank()) kept = kept.inserted(0, 1);
  kept[0] = x.shape()[0];
  const Tensor sums = primitive::sum_to(x, kept);
  return batched(primitive::reshape(sums, members_shape(x.shape()[0], shape)));
}

}  // namespace pinn::batch
