#include "autograd/cpu/tiles/amx_tiles.h"

namespace pinn::cpu {

#if defined(__AMX_BF16__) && defined(__AVX512BW__)
namespace {
using namespace amx;

// The sum runs over points: column c + r of 32 stands beside c + r + 16.

/// Splits 32 rows of x from row i on, columns c ... c + 32 steps, as two rows of left factors;
/// beyond the last row or column they are 0.
class Splitting {
 public:
  Splitting(const AmxContract& p, std::size_t i, std::size_t c, std::size_t steps,
            std::uint16_t* to, std::size_t calls)
      : p_(p),
        i_(i),
        c_(c),
        steps_(steps),
        rows_(steps > 0 ? 2 * edge : 0),
        each_((rows_ * steps + calls - 1) / calls),
        to_(to) {}
  /// A part of it, of as many as there are calls.
  [[gnu::always_inline]] void operator()() {
    for (std::size_t n = 0; n < each_ && row_ < rows_; ++n) {
      const bool there = i_ + row_ < p_.k;
      const std::size_t c = c_ + step_ * depth, left = p_.columns - c;
      const float* x = p_.x + (there ? i_ + row_ : 0) * p_.x_stride + c;
      const __mmask16 low = first_lanes(left), high = first_lanes(left > edge ? left - edge : 0);
      store_split(_mm512_maskz_loadu_ps(there ? low : 0, x),
                  _mm512_maskz_loadu_ps(there ? high : 0, x + edge),
                  to_ + (row_ / edge * steps_max + step_) * 3 * tile + row_ % edge * depth);
      if (++step_ == steps_) step_ = 0, ++row_;
    }
  }

 private:
  const AmxContract& p_;
  std::size_t i_, c_, steps_, rows_, each_, row_ = 0, step_ = 0;
  std::uint16_t* to_;
};

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
  constexpr std::size_t tall = steps_max * 3 * tile, square = 4 * edge * edge;
  const std::size_t across = (p.n + edge - 1) / edge, squares = (across + 1) / 2;
  const std::size_t down = (p.k + 2 * edge - 1) / (2 * edge);
  const std::size_t all = (p.columns + depth - 1) / depth;
  const std::size_t panels = (all + steps_max - 1) / steps_max * down;
  std::uint16_t* const left = reinterpret_cast<std::uint16_t*>(p.scratch);
  std::uint16_t* const right = left + 4 * tall;  // behind two panels
  const auto first = [&](std::size_t q) { return q / down * steps_max; };
  const auto count = [&](std::size_t q) {
    return all - first(q) < steps_max ? all - first(q) : steps_max;
  };
  const auto splitting = [&](std::size_t q, std::size_t calls) {
    return Splitting(p, q % down * 2 * edge, first(q) * depth, q < panels ? count(q) : 0,
                     left + q % 2 * 2 * tall, calls);
  };
  splitting(0, 1)();
  for (std::size_t q = 0; q < panels; ++q) {
    const std::size_t i = q % down * 2 * edge, steps = count(q);
    if (i == 0)
      for (std::size_t t = 0; t < across; ++t)
        split_right(p, t * edge, first(q) * depth, steps, right + t * tall);
    const std::size_t rows = p.k - i > edge ? 2 : 1;
    Splitting next = splitting(q + 1, squares * steps);
    for (std::size_t t = 0; t < across; t += 2) {
      const std::size_t cols = across - t > 1 ? 2 : 1;
      float* const at = p.partial + (q % down * squares + t / 2) * square;
      Sums sums[4];
      for (std::size_t s = 0; s < rows * cols; ++s) {
        float* const to = at + (s / cols * 2 + s % cols) * edge * edge;
        sums[s] = {to, 64, to, 64};
      }
      const std::size_t then = across - t > 2 ? t + 2 : 0;
      multiply(rows, cols,
               {left + q % 2 * 2 * tall, right + t * tall, tall, tall, steps, false,
                right + then * tall},
               sums, {at + square, 2 * edge}, next);
    }
  }
}
#else
void amx_contract(const AmxContract&) {}
#endif

}  // namespace pinn::cpu
