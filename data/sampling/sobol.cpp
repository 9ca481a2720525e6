#include <bit>

#include "data/sampling/sequence.h"

namespace pinn {
namespace {

struct Row {
  int degree;                      ///< s, of the primitive polynomial
  std::uint32_t polynomial;        ///< a, its inner coefficients, highest power first
  std::array<std::uint32_t, 7> m;  ///< m_1 ... m_s
};

/// Dimensions 2 to 32 of new-joe-kuo-6.21201, https://web.maths.unsw.edu.au/~fkuo/sobol/
/// (Joe and Kuo 2008, search criterion D6).
constexpr std::array<Row, sobol_dimensions - 1> joe_kuo = {{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
}};

/// Owen's nested uniform scrambling of m-bit fractions. Whether a bit is flipped depends on all the
/// bits above it: one coin per node of a binary tree, numbered as in a heap, the root 1.
class Scrambling {
 public:
  Scrambling(int bits, const Random& random) : bits_(bits), coins_(std::size_t{1} << bits) {
    for (std::size_t group = 0; group < coins_.size(); group += 128) {
      const auto words = random.bits(group / 128);
      for (std::size_t i = 0; i < 128 && group + i < coins_.size(); ++i)
        coins_[group + i] = words[i / 32] >> (i % 32) & 1;
    }
  }

  std::uint32_t operator()(std::uint32_t x) const {
    std::uint32_t flips = 0;
    for (int b = 0; b < bits_; ++b) {
      const std::size_t node = (std::size_t{1} << b) | (std::size_t{x} >> (bits_ - b));
      flips = flips << 1 | coins_[node];
    }
    return x ^ flips;
  }

 private:
  const int bits_;
  std::vector<bool> coins_;
};

}  // namespace

std::array<std::uint32_t, 32> sobol_directions(int coordinate) {
  std::array<std::uint32_t, 32> v;
  if (coordinate == 0) {  // van der Corput
    for (int k = 0; k < 32; ++k) v[k] = 1u << (31 - k);
    return v;
  }
  const auto [s, a, m] = joe_kuo[coordinate - 1];
  for (int k = 0; k < s; ++k) v[k] = m[k] << (31 - k);
  for (int k = s; k < 32; ++k) {  // Joe and Kuo (2008), equation 2
    v[k] = v[k - s] ^ (v[k - s] >> s);
    for (int j = 1; j < s; ++j)
      if (a >> (s - 1 - j) & 1) v[k] ^= v[k - j];
  }
  return v;
}

std::vector<double> sobol_points(int count, int dimension, const Random& random) {
  std::vector<double> x(std::size_t(count) * dimension);
  const int bits = std::bit_width(static_cast<unsigned>(count) - 1);  // the first 2^bits points
  for (int a = 0; a < dimension; ++a) {
    const auto v = sobol_directions(a);
    const Random coins = random.child(2 * a), rest = random.child(2 * a + 1);
    const Scrambling scrambled(bits, coins);
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) {
      std::uint32_t fraction = 0;
      for (std::uint32_t k = 0; i >> k; ++k)
        if (i >> k & 1) fraction ^= v[k];
      // The first `bits` bits differ from point to point: scrambled, all further bits are
      // independent of one another, that is, a uniform number.
      const std::uint32_t stratum = bits == 0 ? 0 : scrambled(fraction >> (32 - bits));
      x[std::size_t(i) * dimension + a] =
          in_stratum(stratum, std::uint64_t{1} << bits, rest.uniform(i));
    }
  }
  return x;
}

}  // namespace pinn
