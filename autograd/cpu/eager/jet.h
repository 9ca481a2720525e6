#pragma once
#include <cstddef>

#include "autograd/core/numbers.h"
#include "autograd/ops/jet_table.h"

/// Functions and products of jets. A jet is a contiguous row-major array [points, channels,
/// features] of float64 or float32, where the channels are those of a JetTable; the arrays below
/// are such jets. Points are independent, so threads may each take a part of them.
/// Results never overlap arguments.
namespace pinn::cpu {

/// y = f^(k)(h), the k-th derivative of an op of Unary on a jet:
/// y = sum_m f^(k+m)(h_0) n^m / m! with n = h - h_0.
///
///   cost     f and its derivatives once per point and feature, then two flops per entry of the
///            table's powers
///   errors   EngineError when k + order of the table exceeds max_derivative or the dtype is not a
///            floating one
void jet(int op, double parameter, int k, const JetTable& table, DType dtype, std::size_t points,
         std::size_t features, const void* h, void* y);

/// hbar = the transposed product of ybar with the jet f^(k+1)(h): the reverse sweep of y =
/// f^(k)(h).
void jet_pullback(int op, double parameter, int k, const JetTable& table, DType dtype,
                  std::size_t points, std::size_t features, const void* h, const void* ybar,
                  void* hbar);

/// y_k = sum_{i,j} w[i,j,k] a_i b_j. Either of a and b may have one feature, for all features of
/// the other.
///
///   errors   ShapeError when the features differ and neither is 1
void jet_mul(const JetTable& table, DType dtype, std::size_t points, std::size_t a_features,
             const void* a, std::size_t b_features, const void* b, void* y);

/// y_i = sum_{j,k} w[i,j,k] g_k b_j, the transpose of a -> a b applied to g; features as in
/// jet_mul.
void jet_mul_transposed(const JetTable& table, DType dtype, std::size_t points,
                        std::size_t g_features, const void* g, std::size_t b_features,
                        const void* b, void* y);

}  // namespace pinn::cpu
