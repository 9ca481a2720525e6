#pragma once
#include <cstddef>
#include <cstdint>

#include "autograd/cpu/tiles/amx.h"

/// Parts shared by products and by sums over points on the tile unit. Files with kernels are built
/// for a processor that has the unit, whatever the rest is built for: so they use no inline
/// function of the standard library, of which the linker might take their copy, and what is inline
/// here is static.
namespace pinn::cpu::amx {

/// A tile of parts is [edge][depth] of the left factor, of the right one [depth / 2][edge][2]; of
/// sums, [edge][edge].
inline constexpr std::size_t edge = 16, depth = 32, tile = edge * depth;

/// So many tiles along the sum are split before they are multiplied: two columns of them take
/// 48 KiB.
inline constexpr std::size_t steps_max = 8;

#if defined(__AMX_BF16__) && defined(__AVX512BW__)
}  // namespace pinn::cpu::amx

#include <immintrin.h>

namespace pinn::cpu::amx {

typedef std::uint32_t Bits __attribute__((vector_size(64)));

/// Stores three vectors, a tile apart: the parts of 16 numbers a in the lower halves of lanes, of b
/// in the upper ones. As split_bf16.
[[gnu::always_inline]] static inline void store_split(__m512 a, __m512 b, std::uint16_t* to) {
  const std::uint32_t upper = 0xffff0000;
  for (int p = 0;; ++p, to += tile) {
    const std::uint32_t half = p == 0 ? 0x8000 : 0;
    const Bits low = Bits(a) + half, high = Bits(b) + half;
    _mm512_storeu_si512(to, __m512i(low >> 16 | (high & upper)));
    if (p == 2) return;
    a -= __m512(low & upper);
    b -= __m512(high & upper);
  }
}

/// The first `count` lanes of a vector.
static inline __mmask16 first_lanes(std::size_t count) {
  return count >= edge ? __mmask16(0xffff) : __mmask16((1u << count) - 1);
}

/// A tile of sums: where it starts from, null for 0, and where it goes; strides in bytes.
struct Sums {
  const float* from;
  std::size_t from_stride;
  float* to;
  std::size_t to_stride;
};

/// A column of tiles, of parts: `a` and `b` hold `steps` times three, one after another.
struct Factors {
  const std::uint16_t *a, *b;
  std::size_t a_step, b_step;  ///< to the next row, or column, of tiles
  std::size_t steps;
  bool a_is_far;              ///< which of them comes from the second cache
  const std::uint16_t* next;  ///< what that one is afterwards
};

/// Sums that are next: rows of two cache lines, as many as two tiles have, asked for in time. Null
/// for none.
struct Target {
  const float* at;
  std::size_t stride;
};

// Tiles, of which the compiler knows nothing.

template <int t> [[gnu::always_inline]] static inline void load(const void* from, std::size_t by) {
  __asm__ volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(by), "i"(t) : "memory");
}
template <int t> [[gnu::always_inline]] static inline void store(void* to, std::size_t by) {
  __asm__ volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(by), "i"(t) : "memory");
}
/// Sums in register s += those of a times those of b.
template <int s, int a, int b> [[gnu::always_inline]] static inline void add_product() {
  __asm__ volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(s), "i"(a), "i"(b));
}
template <int t> [[gnu::always_inline]] static inline void begin(const Sums& s) {
  if (s.from)
    load<t>(s.from, s.from_stride);
  else
    __asm__ volatile("tilezero %%tmm%c0" ::"i"(t));
}
template <int t> [[gnu::always_inline]] static inline void end(const Sums& s) {
  store<t>(s.to, s.to_stride);
}

/// A part of rows of the left factor, to registers 4 and 5; of columns of the right one, to 6 and
/// 7.
template <int rows> [[gnu::always_inline]] static inline void left(const Factors& f, int part) {
  load<4>(f.a + part * tile, 64);
  if constexpr (rows == 2) load<5>(f.a + f.a_step + part * tile, 64);
}
template <int cols> [[gnu::always_inline]] static inline void right(const Factors& f, int part) {
  load<6>(f.b + part * tile, 64);
  if constexpr (cols == 2) load<7>(f.b + f.b_step + part * tile, 64);
}
template <int rows, int cols> [[gnu::always_inline]] static inline void add() {
  add_product<0, 4, 6>();
  if constexpr (cols == 2) add_product<1, 4, 7>();
  if constexpr (rows == 2) add_product<2, 5, 6>();
  if constexpr (rows == 2 && cols == 2) add_product<3, 5, 7>();
}

/// Asks for lines from `at` on, which moves behind them.
template <int lines> [[gnu::always_inline]] static inline void fetch(const std::uint16_t*& at) {
#pragma GCC unroll 8
  for (int l = 0; l < lines; ++l, at += 32) _mm_prefetch(at, _MM_HINT_T0);
}

/// Adds products of tiles to rows x cols tiles of sums, [row][column], in registers 0 to 3. Each of
/// the six products shares a factor with the one before. While the unit multiplies, vectors do a
/// part of `meanwhile` in each step, and tiles and sums that are next are fetched.
template <int rows, int cols, class Work>
static void multiply(const Factors& all, const Sums* sums, const Target& next, Work& meanwhile) {
  Factors f = all;
  begin<0>(sums[0]);
  if constexpr (cols == 2) begin<1>(sums[1]);
  if constexpr (rows == 2) begin<2>(sums[cols]);
  if constexpr (rows == 2 && cols == 2) begin<3>(sums[3]);
  const std::size_t targets = next.at ? (2 * edge + f.steps - 1) / f.steps : 0;
  const float* target = next.at;
  for (std::size_t s = 0; s < f.steps; ++s, f.a += 3 * tile, f.b += 3 * tile) {
    const std::uint16_t* here = f.a_is_far ? f.a : f.b;
    const std::uint16_t* one = s + 1 < f.steps ? here + 3 * tile : f.next;
    const std::uint16_t* other = one + (f.a_is_far ? f.a_step : f.b_step);
    const auto ask = [&]() __attribute__((always_inline)) { fetch<8>(one), fetch<8>(other); };
    left<rows>(f, 2), right<cols>(f, 0), ask(), add<rows, cols>();
    left<rows>(f, 1), ask(), add<rows, cols>();
    right<cols>(f, 1), ask(), add<rows, cols>();
    meanwhile();
    left<rows>(f, 0), ask(), add<rows, cols>();
    right<cols>(f, 0), ask(), add<rows, cols>();
    right<cols>(f, 2), ask(), add<rows, cols>();
    for (std::size_t r = 0; r < targets; ++r, target += next.stride) {
      _mm_prefetch(target, _MM_HINT_ET0);
      _mm_prefetch(target + edge, _MM_HINT_ET0);
    }
  }
  end<0>(sums[0]);
  if constexpr (cols == 2) end<1>(sums[1]);
  if constexpr (rows == 2) end<2>(sums[cols]);
  if constexpr (rows == 2 && cols == 2) end<3>(sums[3]);
}

template <class Work>
static inline void multiply(std::size_t rows, std::size_t cols, const Factors& f, const Sums* sums,
                            const Target& next, Work& meanwhile) {
  if (rows == 2)
    cols == 2 ? multiply<2, 2>(f, sums, next, meanwhile) : multiply<2, 1>(f, sums, next, meanwhile);
  else
    cols == 2 ? multiply<1, 2>(f, sums, next, meanwhile) : multiply<1, 1>(f, sums, next, meanwhile);
}
#endif

}  // namespace pinn::cpu::amx
