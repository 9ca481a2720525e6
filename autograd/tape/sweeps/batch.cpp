#include "autograd/tape/batch.h"

#include <utility>

#include "autograd/core/error.h"
#include "autograd/ops/binary.h"
#include "autograd/tape/body.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/primitives/primitives.h"

namespace pinn {
namespace {

Shape shape_of(const OuterProduct& p) {
  return {p.x.shape()[p.x.rank() - 1], p.g.shape()[p.g.rank() - 1]};
}

/// x [rows, ..., k] as [rows, channels, k].
Tensor with_channels(const Tensor& x) {
  std::int64_t channels = 1;
  for (int i = 1; i + 1 < x.rank(); ++i) channels *= x.shape()[i];
  return primitive::reshape(x, {x.shape()[0], channels, x.shape()[x.rank() - 1]});
}

Tensor sum_of(const Tensor& a, const Tensor& b) {
  return a.defined() ? primitive::binary(binary_id<op::Add>, a, b) : b;
}

Tensor multiplied(const OuterProduct& product) {
  const Tensor x = with_channels(product.x), g = with_channels(product.g);
  Tensor sum;
  for (std::int64_t c = 0; c < x.shape()[1]; ++c) {
    const Tensor column =
        primitive::reshape(primitive::slice(x, 1, c, c + 1), {x.shape()[0], x.shape()[2], 1});
    const Tensor row = primitive::slice(g, 1, c, c + 1);
    sum = sum_of(sum, primitive::binary(binary_id<op::Mul>, column, row));
  }
  return sum;
}

/// Rows of the pass that runs on this thread, -1 outside one.
std::int64_t& rows_of_pass() {
  static thread_local std::int64_t rows = -1;
  return rows;
}

}  // namespace

Tensor batched(Batch batch) {
  const bool plain = batch.elements.defined();
  const Tensor like = plain ? batch.elements : batch.products.at(0).x;
  const Shape shape = plain ? like.shape().removed(0) : shape_of(batch.products[0]);
  Tensor t = alias(like, shape, contiguous_strides(shape), 0);
  t.body()->storage = nullptr;
  t.body()->root = nullptr;
  t.body()->value = -1;
  t.body()->is_number = false;
  t.body()->batch = std::make_shared<const Batch>(std::move(batch));
  return t;
}

Shape members_shape(std::int64_t size, const Shape& shape) {
  if (shape.rank() == max_rank)
    throw EngineError({"a batched gradient of four axes", to_string(shape),
                       "call grad() for one seed after another, or reshape to fewer axes"});
  return shape.inserted(0, size);
}

Tensor members(const Tensor& t) {
  const Batch& batch = *batch_of(t);
  Tensor sum = batch.elements;
  for (const OuterProduct& p : batch.products) sum = sum_of(sum, multiplied(p));
  return sum;
}

Tensor members(const Tensor& t, std::int64_t size) {
  return batch_of(t) ? members(t) : primitive::expand(t, members_shape(size, t.shape()));
}

PerRow::PerRow(std::int64_t rows) : before_(std::exchange(rows_of_pass(), rows)) {}
PerRow::~PerRow() { rows_of_pass() = before_; }

bool sums_rows(const Tensor& t) {
  const std::int64_t rows = rows_of_pass();
  if (rows < 0) return false;
  if (t.rank() == 0 || t.shape()[0] != rows)
    throw EngineError({"a gradient in a pass per sample has not one row for each of the " +
                           std::to_string(rows) + " samples",
                       describe(t), "let a sample depend on its own row of every tensor only"});
  return true;
}

void must_keep_rows(int axis) {
  if (axis == 0 && rows_of_pass() > 1)
    throw EngineError({"a pass per sample met a tensor whose rows are other samples",
                       "slice, select, gather or concat along axis 0",
                       "let row b of the residual depend on row b of every tensor only"});
}

bool sums_rows(const Tensor& t, const Shape& shape) {
  if (rows_of_pass() < 0) return false;
  const bool kept = t.rank() > 0 && shape.rank() == t.rank() && shape[0] == t.shape()[0];
  return !kept && sums_rows(t);
}

namespace {

/// How many seeds there are: all of them have that leading axis before their output's shape.
std::int64_t seed_count(const std::vector<Tensor>& outputs, const std::vector<Tensor>& seeds) {
  std::int64_t count = -1;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool has_axis = i < seeds.size() && seeds[i].defined() && seeds[i].rank() > 0;
    if (has_axis && count < 0) count = seeds[i].shape()[0];
    if (has_axis && outputs[i].rank() < max_rank &&
        seeds[i].shape() == outputs[i].shape().inserted(0, count))
      continue;
    throw EngineError(
        {"Mismatch in shape: batched seeds have one more axis than their outputs, a leading one "
         "that counts the seeds, the same for all",
         "seed " + std::to_string(i) + ": " + (i < seeds.size() ? describe(seeds[i]) : "missing") +
             ", output: " + describe(outputs[i]),
         "stack() the seeds along axis 0"});
  }
  return count;
}

}  // namespace

std::vector<Tensor> batched_grad(const std::vector<Tensor>& outputs,
                                 const std::vector<Tensor>& inputs,
                                 const std::vector<Tensor>& seeds, GradOptions options) {
  if (options.create_graph || dual_level_open())
    throw EngineError({"a batched grad() is not recorded and carries no tangents", "",
                       "call grad() for one seed after another"});
  const std::int64_t count = seed_count(outputs, seeds);
  std::vector<Tensor> together;
  for (const Tensor& s : seeds) together.push_back(batched(s.detach()));
  options.batched = false;
  std::vector<Tensor> gradients = grad(outputs, inputs, together, options);
  for (Tensor& g : gradients)
    if (g.defined()) g = members(g, count);
  return gradients;
}

}  // namespace pinn
