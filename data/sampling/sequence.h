#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "autograd/core/random.h"

namespace pinn {

/// The methods: `count` points strictly inside the unit cube, row-major [count, dimension],
/// dimension >= 1. Each coordinate of each point alone is uniform in (0, 1), except on a grid.

/// Independent uniform points.
std::vector<double> uniform_points(int count, int dimension, const Random& random);

/// The centers of grid_shape(count, dimension) equal cells, the last coordinate running fastest; at
/// most `count` of them. Not random: every redraw is the same.
std::vector<double> grid_points(int count, int dimension, const Random& random);

/// Cells per coordinate: of all shapes whose numbers differ by one at most, larger ones first, the
/// one with the largest product not above `count`. 1000 gives 1000, 32 x 31 and 10 x 10 x 10.
std::vector<int> grid_shape(int count, int dimension);

/// A Latin hypercube: per coordinate one point, anywhere, in each of `count` equal intervals.
/// source: McKay, Beckman, Conover (1979), Technometrics 21, 239-245.
std::vector<double> lhs_points(int count, int dimension, const Random& random);

/// Halton's sequence in the first `dimension` primes, each digit position permuted at random, and
/// digits beyond those that tell the points apart drawn at random: large bases do not correlate.
/// Per coordinate with base b no two of the points share an interval of b^-m, for b^m >= count.
/// source: Owen (2017), arXiv:1706.02808, "A randomized Halton algorithm in R".
std::vector<double> halton_points(int count, int dimension, const Random& random);

/// Hammersley's set: coordinate 1 has one point, anywhere, in each of `count` equal intervals, in
/// order; the others are a scrambled Halton sequence.
std::vector<double> hammersley_points(int count, int dimension, const Random& random);

/// Sobol's sequence with Owen's nested uniform scrambling; `dimension` up to sobol_dimensions. With
/// 2^m points each coordinate has one in each interval of 2^-m, and coordinates 1 and 2 have one in
/// each of the boxes 2^-k by 2^(k-m).
/// source: Joe, Kuo (2008), SIAM J. Sci. Comput. 30, 2635-2654; Owen (1995), "Randomly permuted
/// (t,m,s)-nets and (t,s)-sequences".
std::vector<double> sobol_points(int count, int dimension, const Random& random);

inline constexpr int sobol_dimensions = 161;

/// Direction numbers of coordinate 0 ... sobol_dimensions - 1: the binary fractions v_k / 2^32
/// whose exclusive or, over the bits k of its index, is a point.
std::array<std::uint32_t, 32> sobol_directions(int coordinate);

/// (k + u) / n, kept strictly between k / n and (k + 1) / n against rounding.
double in_stratum(std::uint64_t k, std::uint64_t n, double u);

/// A random order of 0 ... n - 1.
std::vector<std::uint32_t> permutation(std::uint32_t n, const Random& random);

}  // namespace pinn
