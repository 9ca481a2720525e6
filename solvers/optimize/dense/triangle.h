#pragma once
#include <vector>

#include "autograd/tape/tensor.h"
#include "solvers/optimize/dense/bands.h"

namespace pinn {

// Symmetric matrices H [P, P], stored as their lower triangle, row after row, in float64, or in
// float32 for half of the memory. Vectors and sums are float64 whatever H is.
//
// Ranks share H out by bands of rows (bands.h): each keeps a tensor of the elements of its own, one
// rank alone that of all P (P + 1) / 2, and a pass is one act of all ranks. What is computed
// depends on P, not on the number of threads or ranks.

std::int64_t triangle_size(std::int64_t rows);

/// First element of each rank, and the end.
std::vector<std::size_t> triangle_shares(std::int64_t rows, int ranks);

/// The identity.
Tensor identity_triangle(std::int64_t rows, DType dtype = DType::float64, Ranks& ranks = alone());

/// H <- scale H + q a^T + s b^T, where the sum of the two products is symmetric.
struct Update {
  double scale = 1;
  Tensor vectors;  ///< q, a, s, b: the rows of a [4, P]
};

Update update_of(double scale, const Tensor& q, const Tensor& a, const Tensor& s, const Tensor& b);

/// H x [P].
Tensor product(const Tensor& h, const Tensor& x, const Workers& workers = {});

/// Applies the update, where there is one, and returns the products of the new H with up to two
/// vectors: in one pass over H, which reads and writes each element once.
///
///   traffic  of several ranks, some P numbers of each for a product (bands.h)
std::vector<Tensor> update_and_products(Tensor& h, const Update* update,
                                        const std::vector<Tensor>& x, const Workers& workers = {});

/// True if H has a Cholesky factorization.
///
///   cost  P^3/3 flops and a float64 copy of the elements, each shared out over ranks; of several
///         ranks each gets the P^2/2 numbers of the factor once, 128 columns at a time
bool is_positive_definite(const Tensor& h, std::int64_t rows, const Workers& workers = {});

}  // namespace pinn
