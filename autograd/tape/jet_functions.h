#pragma once
#include <memory>

#include "autograd/ops/jet_table.h"
#include "autograd/tape/tensor.h"

/// The three ops on jets: tensors [points, channels, features] whose channels multiply as a
/// JetTable says. They are closed under differentiation, so gradients of any order are made of them
/// again:
///
///   y = jet(f, k, h)                 hbar = jet_mul_transposed(ybar, jet(f, k + 1, h))
///   y = jet_mul(a, b)                abar = jet_mul_transposed(ybar, b), bbar alike
///   y = jet_mul_transposed(g, b)     gbar = jet_mul(ybar, b), bbar = jet_mul_transposed(g, ybar)
namespace pinn {

/// The k-th derivative of the unary op `id`, on a jet: f^(k)(h). Channels beyond the value are
/// those of the composite. `parameter` as in apply_unary.
///   errors   ShapeError when h has not the table's channels; EngineError when k + order exceeds
///            what the kernels offer
Tensor jet(int id, double parameter, int k, const JetTablePtr& table, const Tensor& h);

/// (a b)_k = sum w[i,j,k] a_i b_j; one feature broadcasts.
Tensor jet_mul(const JetTablePtr& table, const Tensor& a, const Tensor& b);

/// y_i = sum w[i,j,k] g_k b_j; one feature broadcasts.
Tensor jet_mul_transposed(const JetTablePtr& table, const Tensor& g, const Tensor& b);

}  // namespace pinn
