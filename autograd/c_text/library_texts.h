#pragma once
#include <string>
#include <string_view>

#include "autograd/core/numbers.h"

/// Functions of the library as C. Behind a $ stands a number that follows from the dtype, an @
/// becomes an f behind numbers and names of functions in float32 (library.h).
namespace pinn::c_text {

/// Number or series behind a $, as text.
std::string library_constant(std::string_view name, DType dtype);

inline constexpr std::string_view mul_add_text = R"(
/* a b + c, rounded once where that is what the processor does. */
INLINE real mul_add(real a, real b, real c) {
#if defined(__OPTIMIZE__) && (defined(__FMA__) || defined(__ARM_FEATURE_FMA))
  return fma@(a, b, c);
#else
  return a * b + c;
#endif
}
)";

inline constexpr std::string_view bits_text = R"(
INLINE bits bits_of(real x) {
  union { real x; bits i; } both;
  both.x = x;
  return both.i;
}
)";

inline constexpr std::string_view real_text = R"(
INLINE real real_of(bits i) {
  union { real x; bits i; } both;
  both.i = i;
  return both.x;
}
)";

inline constexpr std::string_view power_of_e_text = R"(
/* power = 2^(k - shift) and the number q for which e^(2t) = 2^k (1 + 2q). */
INLINE real power_of_e(real t, real shift, real* power) {
  const real magic = $magic - shift;
  const real k = mul_add(t, $two_over_ln2, magic);
  const real r0 = mul_add(k - magic, -$half_ln2_high, t);
  const real r = mul_add(k - magic, -($half_ln2_low), r0);
  *power = real_of(bits_of(k) << $mantissa);
  return mul_add(r * r, $expm1_series, r);
}
)";

// A mask where one would choose: compilers turn choices into jumps, and jumps keep them from making
// vectors of the loop.
inline constexpr std::string_view exponential_text = R"(
INLINE real exponential(real x) {
  const real half = 0.5@ * x, low = half < -$largest ? -$largest : half;
  const real t = low > $infinite ? $infinite : low;
  real power;
  const real q = power_of_e(t, 1.0@, &power), y = power * mul_add(4.0@, q, 2.0@);
  return real_of(bits_of(y) & ((bits)(x < $least) - 1));
}
)";

inline constexpr std::string_view error_function_text = R"(
/* By a series up to 1, from there on by the tail of the normal distribution. */
INLINE real error_function(real x) {
  const real whole = fabs@(x);
  const bits far = (bits)0 - (bits)(whole > $erf_is_1);
  const real size = real_of((bits_of($erf_is_1) & far) | (bits_of(whole) & ~far)), s = size * size;
  const real t = 1.4142135623730951@ * size;
  const real tail = 2.0@ * exponential(-s) * $tail_above / $tail_below;
  const bits low = (bits)(size < 1.0@) - 1;
  const real y = real_of((bits_of(size * $erf_series) & ~low) | (bits_of(1.0@ - tail) & low));
  return x < 0.0@ ? -y : y;
}
)";

inline constexpr std::string_view log_1_plus_text = R"(
/* log(1 + x) for x from 0 to 1, which is 2 atanh(x / (2 + x)). */
INLINE real log_1_plus(real x) {
  const real a = x / (2.0@ + x), s = a * a;
  return mul_add(a * s, $atanh_series, 2.0@ * a);
}
)";

inline constexpr std::string_view tanh_sech2_text = R"(
/* tanh(x) and its slope, from v = (e^(2|x|) - 1) / 2: |tanh(x)| = v / (1 + v). */
INLINE void tanh_sech2(real x, real* y, real* slope) {
  const real size = fabs@(x), t = size > $largest ? $largest : size;
  real power;
  const real q = power_of_e(t, 0.0@, &power), half = 0.5@ * power;
  const real rest = 1.0@ / mul_add(power, q, half + 0.5@);
  const real value = mul_add(power, q, half - 0.5@) * rest;
  *y = x < 0.0@ ? -value : value;
  *slope = mul_add(rest, value, rest);
}
)";

inline constexpr std::string_view sine_cosine_text = R"(
/* Of |x| up to $far; x = k pi / 2 + r. */
INLINE void sine_cosine(real x, real* sine, real* cosine) {
  const real magic = $plain_magic, k = mul_add(x, $two_over_pi, magic);
  const bits turns = bits_of(k);
  const real r0 = mul_add(k - magic, -$pi_1, x), r1 = mul_add(k - magic, -$pi_2, r0);
  const real r = mul_add(k - magic, -$pi_3, r1), r2 = r * r;
  const real s = mul_add(r * r2, $sine_series, r);
  const real c = mul_add(r2 * r2, $cosine_series, mul_add(r2, -0.5@, 1.0@));
  const real a = turns & 1 ? c : s, b = turns & 1 ? s : c;
  *sine = turns & 2 ? -a : a;
  *cosine = (turns + 1) & 2 ? -b : b;
}
)";

inline constexpr std::string_view near_zero_text = R"(
/* x, and instead of what is far from 0 the angle that it comes to. */
static const real* near_zero(int n, const real* x, real* buffer) {
  int far = 0;
  for (int p = 0; p < n; ++p) far |= !(fabs@(x[p]) <= $far);
  if (!far) return x;
  for (int p = 0; p < n; ++p)
    buffer[p] = fabs@(x[p]) <= $far ? x[p] : atan2@(sin@(x[p]), cos@(x[p]));
  return buffer;
}
)";

inline constexpr std::string_view product_text = R"(
/* y += eight rows of x, or one, times weights. */
INLINE void add_8(int n, const real* w, const real* restrict x, int s, real* restrict y) {
  const real w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
  const real w4 = w[4], w5 = w[5], w6 = w[6], w7 = w[7];
  for (int p = 0; p < n; ++p) {
    const real a = mul_add(w1, x[s + p], mul_add(w0, x[p], y[p]));
    const real b = mul_add(w3, x[3 * s + p], mul_add(w2, x[2 * s + p], a));
    const real c = mul_add(w5, x[5 * s + p], mul_add(w4, x[4 * s + p], b));
    y[p] = mul_add(w7, x[7 * s + p], mul_add(w6, x[6 * s + p], c));
  }
}
INLINE void add_1(int n, real w, const real* restrict x, real* restrict y) {
  for (int p = 0; p < n; ++p) y[p] = mul_add(w, x[p], y[p]);
}

/* y [m][channels][n] = w [m][k] x [k][channels][n], and b [m] in the first channel. */
static void product(int k, int m, int channels, int n, const real* w, const real* b,
                    const real* x, real* y) {
  const int row = channels * n;
  for (int c = 0; c < channels; ++c)
    for (int j = 0; j < m; ++j) {
      const real* const v = w + j * k;
      const real start = b && c == 0 ? b[j] : 0.0@;
      real* const z = y + j * row + c * n;
      int i = 0;
      for (int p = 0; p < n; ++p) z[p] = start;
      for (; i + 8 <= k; i += 8) add_8(n, v + i, x + i * row + c * n, row, z);
      for (; i < k; ++i) add_1(n, v[i], x + i * row + c * n, z);
    }
}
)";

}  // namespace pinn::c_text
