#include "autograd/cpu/amx_tiles.h"

namespace pinn::cpu {

#if defined(__AMX_BF16__) && defined(__AVX512BW__)
namespace {
using namespace amx;

// The sum runs over points: column c + r of 32 stands beside c + r + 16.

/// 16 rows of x from row i on, columns c ... c + 32 steps, as tiles of left factors; beyond the
/// last row or column they are 0.
void split_left(const AmxContract& p, std::size_t i, std::size_t c, std::size_t steps,
                std::uint16_t* to) {
  for (std::size_t s = 0; s < steps; ++s, c += depth, to += 3 * tile) {
    const std::size_t left = p.columns - c;
    const __mmask16 low = first_lanes(left), high = first_lanes(left > edge ? left - edge : 0);
    for (std::size_t r = 0; r < edge; ++r) {
      const bool there = i + r < p.k;
      const float* x = p.x + (there ? i + r : i) * p.x_stride + c;
      store_split(_mm512_maskz_loadu_ps(there ? low : 0, x),
                  _mm512_maskz_loadu_ps(there ? high : 0, x + edge), to + r * depth);
    }
  }
}

/// Four columns of 16 rows as four vectors.
[[gnu::always_inline]] inline void transpose(const float* const (&rows)[edge], std::size_t c,
                                             __m512 (&columns)[4]) {
  __m512 row[4];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) {
    row[r] = _mm512_castps128_ps512(_mm_loadu_ps(rows[r] + c));
    row[r] = _mm512_insertf32x4(row[r], _mm_loadu_ps(rows[r + 4] + c), 1);
    row[r] = _mm512_insertf32x4(row[r], _mm_loadu_ps(rows[r + 8] + c), 2);
    row[r] = _mm512_insertf32x4(row[r], _mm_loadu_ps(rows[r + 12] + c), 3);
  }
  typedef double Pairs __attribute__((vector_size(64)));
  const auto low = [](__m512 a, __m512 b) {
    return Pairs(
        __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29));
  };
  const auto high = [](__m512 a, __m512 b) {
    return Pairs(
        __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31));
  };
  const auto even = [](Pairs a, Pairs b) {
    return __m512(__builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14));
  };
  const auto odd = [](Pairs a, Pairs b) {
    return __m512(__builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15));
  };
  const Pairs ab = low(row[0], row[1]), AB = high(row[0], row[1]);
  const Pairs cd = low(row[2], row[3]), CD = high(row[2], row[3]);
  columns[0] = even(ab, cd);
  columns[1] = odd(ab, cd);
  columns[2] = even(AB, CD);
  columns[3] = odd(AB, CD);
}

/// 16 rows of g from row j on, as tiles of right factors. The number of columns is a multiple of 4.
void split_right(const AmxContract& p, std::size_t j, std::size_t c, std::size_t steps,
                 std::uint16_t* to) {
  alignas(64) static constexpr float zeros[depth * steps_max] = {};
  const float* rows[edge];
  for (std::size_t r = 0; r < edge; ++r)
    rows[r] = j + r < p.n ? p.g + (j + r) * p.g_stride + c : zeros;
  const std::size_t columns = p.columns - c;
  for (std::size_t s = 0; s < steps; ++s, to += 3 * tile)
    for (std::size_t q = 0; q < edge; q += 4) {
      const std::size_t at = s * depth + q;
      __m512 a[4] = {}, b[4] = {};
      if (at < columns) transpose(rows, at, a);
      if (at + edge < columns) transpose(rows, at + edge, b);
#pragma GCC unroll 4
      for (std::size_t e = 0; e < 4; ++e) store_split(a[e], b[e], to + (q + e) * depth);
    }
}

}  // namespace

void amx_contract(const AmxContract& p) {
  constexpr std::size_t tall = steps_max * 3 * tile;
  const std::size_t across = (p.n + edge - 1) / edge;
  std::uint16_t* const left = reinterpret_cast<std::uint16_t*>(p.scratch);
  std::uint16_t* const right = left + 2 * tall;
  for (std::size_t c = 0; c < p.columns; c += steps_max * depth) {
    const std::size_t all = (p.columns - c + depth - 1) / depth;
    const std::size_t steps = all < steps_max ? all : steps_max;
    for (std::size_t t = 0; t < across; ++t) split_right(p, t * edge, c, steps, right + t * tall);
    for (std::size_t i = 0; i < p.k; i += 2 * edge) {
      const std::size_t rows = p.k - i > edge ? 2 : 1;
      for (std::size_t r = 0; r < rows; ++r) split_left(p, i + r * edge, c, steps, left + r * tall);
      for (std::size_t t = 0; t < across; t += 2) {
        const std::size_t cols = across - t > 1 ? 2 : 1;
        Sums sums[4];
        for (std::size_t s = 0; s < rows * cols; ++s) {
          float* at = p.partial + ((i / edge + s / cols) * across + t + s % cols) * edge * edge;
          sums[s] = {at, 64, at, 64};
        }
        multiply(rows, cols, {left, right + t * tall, tall, tall, steps}, sums);
      }
    }
  }
}
#else
void amx_contract(const AmxContract&) {}
#endif

}  // namespace pinn::cpu
