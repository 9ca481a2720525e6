#pragma once
#include "autograd/tape/tensor.h"

namespace pinn {

// Symmetric matrices H, stored as their lower triangle, row after row: a tensor [P (P + 1) / 2].
// Products and updates read each element once, and sum in an order that depends on P only.

std::int64_t triangle_size(std::int64_t rows);

/// The identity.
Tensor identity_triangle(std::int64_t rows);

/// H x [P].
Tensor product(const Tensor& h, const Tensor& x);

/// H <- scale H + q a^T + s b^T, where the sum of the two products is symmetric.
struct Update {
  double scale = 1;
  Tensor q, a, s, b;  ///< [P]
};

/// Applies the update and returns the product of the new H with x, in one pass over H.
Tensor update_and_product(Tensor& h, const Update& update, const Tensor& x);

/// Whether H has a Cholesky factorization; takes P^3/3 flops and P^2 numbers of room.
bool is_positive_definite(const Tensor& h);

}  // namespace pinn
