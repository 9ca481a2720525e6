#pragma once
#include <cstdint>

#include "autograd/core/numbers.h"
#include "autograd/cuda/gpu.h"
#include "autograd/ops/jet_table.h"

/// Functions and products of jets (autograd/cpu/eager/jet.h) on a GPU: any table, any op of Unary.
/// All are begun on the compute stream and return at once. Results never overlap arguments.
namespace pinn::cuda {

/// y = f^(k)(h) for a jet h [points, channels, features].
/// Errors: EngineError when k + order of the table exceeds max_derivative.
void jet(Gpu& gpu, int op, double parameter, int k, const JetTable& table, DType dtype,
         std::int64_t points, std::int64_t features, const void* h, void* y);

/// hbar = the transposed product of ybar with the jet f^(k+1)(h). Errors: as jet.
void jet_pullback(Gpu& gpu, int op, double parameter, int k, const JetTable& table, DType dtype,
                  std::int64_t points, std::int64_t features, const void* h, const void* ybar,
                  void* hbar);

/// y_k = sum_{i,j} w[i,j,k] a_i b_j. Either of a and b may have one feature, for all features of
/// the other. Errors: ShapeError when the features differ and neither is 1.
void jet_mul(Gpu& gpu, const JetTable& table, DType dtype, std::int64_t points,
             std::int64_t a_features, const void* a, std::int64_t b_features, const void* b,
             void* y);

/// y_i = sum_{j,k} w[i,j,k] g_k b_j; features and errors as in jet_mul.
void jet_mul_transposed(Gpu& gpu, const JetTable& table, DType dtype, std::int64_t points,
                        std::int64_t g_features, const void* g, std::int64_t b_features,
                        const void* b, void* y);

}  // namespace pinn::cuda
