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
/* Rows of y, t apart, += four rows of x, s apart, times weights [rows][k]: four rows, or one. */
INLINE void add_to_4(int n, const real* w, int k, const real* restrict x, int s, real* restrict y,
                     int t) {
  const real a0 = w[0], a1 = w[1], a2 = w[2], a3 = w[3];
  const real b0 = w[k], b1 = w[k + 1], b2 = w[k + 2], b3 = w[k + 3];
  const real c0 = w[2 * k], c1 = w[2 * k + 1], c2 = w[2 * k + 2], c3 = w[2 * k + 3];
  const real d0 = w[3 * k], d1 = w[3 * k + 1], d2 = w[3 * k + 2], d3 = w[3 * k + 3];
  APART for (int p = 0; p < n; ++p) {
    const real x0 = x[p], x1 = x[s + p], x2 = x[2 * s + p], x3 = x[3 * s + p];
    const real a = mul_add(a1, x1, mul_add(a0, x0, y[p]));
    const real b = mul_add(b1, x1, mul_add(b0, x0, y[t + p]));
    const real c = mul_add(c1, x1, mul_add(c0, x0, y[2 * t + p]));
    const real d = mul_add(d1, x1, mul_add(d0, x0, y[3 * t + p]));
    y[p] = mul_add(a3, x3, mul_add(a2, x2, a));
    y[t + p] = mul_add(b3, x3, mul_add(b2, x2, b));
    y[2 * t + p] = mul_add(c3, x3, mul_add(c2, x2, c));
    y[3 * t + p] = mul_add(d3, x3, mul_add(d2, x2, d));
  }
}
INLINE void add_to_1(int n, const real* w, const real* restrict x, int s, real* restrict y) {
  const real a0 = w[0], a1 = w[1], a2 = w[2], a3 = w[3];
  APART for (int p = 0; p < n; ++p) {
    const real a = mul_add(a1, x[s + p], mul_add(a0, x[p], y[p]));
    y[p] = mul_add(a3, x[3 * s + p], mul_add(a2, x[2 * s + p], a));
  }
}
/* The same of all rows of x for one row of y, from row i on. */
INLINE void add_rest(int n, int i, int k, const real* w, const real* x, int s, real* y) {
  for (; i + 4 <= k; i += 4) add_to_1(n, w + i, x + i * s, s, y);
  for (; i < k; ++i)
    for (int p = 0; p < n; ++p) y[p] = mul_add(w[i], x[i * s + p], y[p]);
}

/* y [m][channels][n] = w [m][k] x [k][channels][n], and b [m] in the first channel. */
static void product(int k, int m, int channels, int n, const real* w, const real* b,
                    const real* x, real* y) {
  const int row = channels * n, whole = m / 4 * 4;
  for (int c = 0; c < channels; ++c, x += n, y += n) {
    for (int j = 0; j < m; ++j)
      for (int p = 0; p < n; ++p) y[j * row + p] = b && c == 0 ? b[j] : 0.0@;
    for (int j = 0; j < whole; j += 4) {
      for (int i = 0; i + 4 <= k; i += 4)
        add_to_4(n, w + j * k + i, k, x + i * row, row, y + j * row, row);
      for (int r = j; r < j + 4; ++r) add_rest(n, k / 4 * 4, k, w + r * k, x, row, y + r * row);
    }
    for (int j = whole; j < m; ++j) add_rest(n, 0, k, w + j * k, x, row, y + j * row);
  }
}
)";

}  // namespace pinn::c_text
