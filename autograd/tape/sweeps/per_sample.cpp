#include "autograd/tape/batch.h"

#include "autograd/core/error.h"
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

}  // namespace pinn
