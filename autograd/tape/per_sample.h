#pragma once
#include "autograd/tape/batch.h"
#include "autograd/tape/functions.h"

/// Derivatives of a residual sample by sample, for second-order optimizers: the rows of its
/// Jacobian, for the work of one gradient. As many matrix products run as in a single pass; what
/// the weights of a dense layer get from one sample is an outer product of two small vectors, with
/// derivative channels c the sum over c (Dangel, Kunstner and Hennig, BackPACK, ICLR 2020).
///
/// The first axis of all tensors of rows counts the samples, in one order, and row b of the
/// residual depends on row b of each only. Errors: EngineError for a residual that is not [samples]
/// or [samples, 1], for parameters that are rows themselves, for samples seen to mix, inside a dual
/// level.
namespace pinn {

/// d residual[b] / d parameter for all b: [samples, shape of the parameter], without history; zeros
/// for a parameter that does not matter. Parameters may have three axes. The graph is freed unless
/// `retain_graph`.
std::vector<Tensor> per_sample_gradients(const Tensor& residual,
                                         const std::vector<Tensor>& parameters,
                                         bool retain_graph = false);

/// The same times seed[b], before outer products are formed: what x and g give row b of a dense
/// layer's weights is sum_c x_c g_c^T. Nothing is defined for a parameter that does not matter.
std::vector<Batch> per_sample_parts(const Tensor& residual, const std::vector<Tensor>& parameters,
                                    const Tensor& seed, bool retain_graph = false);

}  // namespace pinn
