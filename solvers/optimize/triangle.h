#pragma once
#include <vector>

#include "autograd/core/parallel.h"
#include "autograd/tape/tensor.h"

namespace pinn {

// Symmetric matrices H, stored as their lower triangle, row after row: a tensor [P (P + 1) / 2] of
// float64, or of float32 for half of the memory. Vectors and sums are float64 whatever H is.
//
// Rows are cut into bands of about equal numbers of elements, which threads share out: one band
// below P = 512, 4 to 64 above. Each has sums of its own, added up in order; so what is computed
// depends on P, not on the number of threads.

std::int64_t triangle_size(std::int64_t rows);

/// The identity.
Tensor identity_triangle(std::int64_t rows, DType dtype = DType::float64);

/// H <- scale H + q a^T + s b^T, where the sum of the two products is symmetric.
struct Update {
  double scale = 1;
  Tensor vectors;  ///< q, a, s, b: the rows of a [4, P]
};

Update update_of(double scale, const Tensor& q, const Tensor& a, const Tensor& s, const Tensor& b);

/// H x [P].
Tensor product(const Tensor& h, const Tensor& x, ThreadPool* threads = nullptr);

/// Applies the update, where there is one, and returns the products of the new H with up to two
/// vectors: in one pass over H, which reads and writes each element once.
std::vector<Tensor> update_and_products(Tensor& h, const Update* update,
                                        const std::vector<Tensor>& x,
                                        ThreadPool* threads = nullptr);

/// Whether H has a Cholesky factorization; takes P^3/3 flops and P^2/2 numbers of room.
bool is_positive_definite(const Tensor& h);

}  // namespace pinn
