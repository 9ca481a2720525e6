#include "autograd/tape/per_sample.h"

#include "autograd/core/error.h"
#include "autograd/tape/batch.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/modes.h"

namespace pinn {
namespace {

/// One pass that keeps the samples apart: batched gradients, or undefined ones.
std::vector<Tensor> rows_of_jacobian(const Tensor& residual, const std::vector<Tensor>& parameters,
                                     const Tensor& seed, bool retain_graph) {
  const Shape& shape = residual.shape();
  if (shape.rank() == 0 || shape[0] == 0 || shape.numel() != shape[0] || dual_level_open())
    throw EngineError({"gradients per sample need one residual per sample, outside a dual level",
                       describe(residual), "give them a residual [samples]"});
  const PerRow pass(shape[0]);
  std::vector<Tensor> rows =
      grad({residual}, parameters, {seed}, {.retain_graph = retain_graph, .allow_unused = true});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].defined() || batch_of(rows[i])) continue;
    if (shape[0] != 1)
      throw EngineError({"parameter " + std::to_string(i) + " has a row of its own per sample",
                         describe(parameters[i]),
                         "take grad() by it: its rows are what you ask for"});
    rows[i] = batched(reshape(rows[i], rows[i].shape().inserted(0, 1)));
  }
  return rows;
}

/// x [rows, ..., k] as [rows, channels, k].
Tensor with_channels(const Tensor& x) {
  return reshape(x, {x.shape()[0], -1, x.shape()[x.rank() - 1]});
}

/// <x_c, y> over the last axis: [rows, channels of y].
Tensor inner_products(const Tensor& x, std::int64_t c, const Tensor& y) {
  return sum(slice(x, 1, c, c + 1) * y, {2});
}

/// <p, q> row by row, [rows], of sums of outer products:
/// sum_{c,c'} (x_c . x'_c') (g_c . g'_c').
Tensor inner_product(const OuterProduct& p, const OuterProduct& q) {
  const Tensor x = with_channels(p.x), g = with_channels(p.g);
  const Tensor x2 = with_channels(q.x), g2 = with_channels(q.g);
  Tensor total;
  for (std::int64_t c = 0; c < x.shape()[1]; ++c) {
    const Tensor part = sum(inner_products(x, c, x2) * inner_products(g, c, g2), {1});
    total = total.defined() ? total + part : part;
  }
  return total;
}

/// The squared norms of the members, [rows].
Tensor squared_norms(const Tensor& t) {
  const Batch& batch = *batch_of(t);
  if (batch.elements.defined()) {
    const Tensor all = members(t);
    const std::int64_t rows = all.shape()[0];
    return sum(square(reshape(all, {rows, all.numel() / rows})), {1});
  }
  Tensor total;
  for (std::size_t i = 0; i < batch.products.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const Tensor one = inner_product(batch.products[i], batch.products[j]);
      const Tensor part = i == j ? one : 2.0 * one;
      total = total.defined() ? total + part : part;
    }
  return total;
}

}  // namespace

std::vector<Tensor> per_sample_gradients(const Tensor& residual,
                                         const std::vector<Tensor>& parameters, bool retain_graph) {
  const NoGrad no_history;
  std::vector<Tensor> rows =
      rows_of_jacobian(residual, parameters, ones_like(residual), retain_graph);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = rows[i].defined() ? members(rows[i])
                                : zeros(parameters[i].shape().inserted(0, residual.shape()[0]),
                                        residual.dtype(), residual.device());
  return rows;
}

std::vector<Batch> per_sample_parts(const Tensor& residual, const std::vector<Tensor>& parameters,
                                    const Tensor& seed, bool retain_graph) {
  const NoGrad no_history;
  std::vector<Batch> parts;
  for (const Tensor& rows : rows_of_jacobian(residual, parameters, seed, retain_graph))
    parts.push_back(rows.defined() ? *batch_of(rows) : Batch());
  return parts;
}

Tensor per_sample_squared_norms(const Tensor& residual, const std::vector<Tensor>& parameters,
                                bool retain_graph) {
  const NoGrad no_history;
  Tensor total = zeros({residual.shape()[0]}, residual.dtype(), residual.device());
  for (const Tensor& rows :
       rows_of_jacobian(residual, parameters, ones_like(residual), retain_graph))
    if (rows.defined()) total = total + squared_norms(rows);
  return total;
}

}  // namespace pinn
