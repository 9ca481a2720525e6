#pragma once
#include <array>

#include "autograd/cpu/vectors/vector.h"

/// Functions of vectors that the kernels of the compiled step need besides arithmetic. A product
/// and a sum that are to be one instruction say so, with fma: no compiler's choice, no flag.
namespace pinn {

/// True if fma rounds once.
#if defined(__FMA__)
inline constexpr bool fma_is_exact = true;
#else
inline constexpr bool fma_is_exact = false;
#endif

template <class T> Vec<T> splat(T x) { return x - typename Vec<T>::Native{}; }

/// The smaller one; a that is no number stays so.
template <class T> Vec<T> at_most(Vec<T> a, Vec<T> most) { return select(most < a, most, a); }

#if defined(__AVX512F__) && defined(__AVX512DQ__)
/// The 16 bytes at `from`, in every 16 bytes of a vector.
inline Vec<float> repeat16(const float* from) {
  return _mm512_maskz_broadcast_f32x4(0xffff, _mm_loadu_ps(from));
}
inline Vec<double> repeat16(const double* from) {
  return _mm512_maskz_broadcast_f64x2(0xff, _mm_loadu_pd(from));
}
/// a * b + c, rounded once.
inline Vec<float> fma(Vec<float> a, Vec<float> b, Vec<float> c) {
  return _mm512_fmadd_ps(a.v, b.v, c.v);
}
inline Vec<double> fma(Vec<double> a, Vec<double> b, Vec<double> c) {
  return _mm512_fmadd_pd(a.v, b.v, c.v);
}
/// c - a * b, rounded once.
inline Vec<float> fnma(Vec<float> a, Vec<float> b, Vec<float> c) {
  return _mm512_fnmadd_ps(a.v, b.v, c.v);
}
inline Vec<double> fnma(Vec<double> a, Vec<double> b, Vec<double> c) {
  return _mm512_fnmadd_pd(a.v, b.v, c.v);
}
/// 1 / a to a unit in the last place, for a that is neither tiny nor huge: a division would take as
/// long as 16 products.
inline Vec<float> reciprocal(Vec<float> a) {
  const Vec<float> r = _mm512_maskz_rcp14_ps(0xffff, a.v);
  return fma(r, fnma(a, r, Vec<float>(1)), r);
}
inline Vec<double> reciprocal(Vec<double> a) {
  Vec<double> r = _mm512_maskz_rcp14_pd(0xff, a.v);
  r = fma(r, fnma(a, r, Vec<double>(1)), r);
  return fma(r, fnma(a, r, Vec<double>(1)), r);
}
inline Vec<float> at_most(Vec<float> a, Vec<float> most) {
  return _mm512_maskz_min_ps(0xffff, most.v, a.v);
}
inline Vec<double> at_most(Vec<double> a, Vec<double> most) {
  return _mm512_maskz_min_pd(0xff, most.v, a.v);
}
/// True if |a| <= most in every lane.
inline bool all_within(Vec<float> a, double most) {
  return _mm512_cmp_ps_mask(abs(a).v, Vec<float>(most).v, _CMP_LE_OQ) == 0xffff;
}
inline bool all_within(Vec<double> a, double most) {
  return _mm512_cmp_pd_mask(abs(a).v, Vec<double>(most).v, _CMP_LE_OQ) == 0xff;
}
#elif defined(__AVX2__) && defined(__FMA__)
inline Vec<float> repeat16(const float* from) {
  return _mm256_broadcast_ps(reinterpret_cast<const __m128*>(from));
}
inline Vec<double> repeat16(const double* from) {
  return _mm256_broadcast_pd(reinterpret_cast<const __m128d*>(from));
}
inline Vec<float> fma(Vec<float> a, Vec<float> b, Vec<float> c) {
  return _mm256_fmadd_ps(a.v, b.v, c.v);
}
inline Vec<double> fma(Vec<double> a, Vec<double> b, Vec<double> c) {
  return _mm256_fmadd_pd(a.v, b.v, c.v);
}
inline Vec<float> fnma(Vec<float> a, Vec<float> b, Vec<float> c) {
  return _mm256_fnmadd_ps(a.v, b.v, c.v);
}
inline Vec<double> fnma(Vec<double> a, Vec<double> b, Vec<double> c) {
  return _mm256_fnmadd_pd(a.v, b.v, c.v);
}
inline bool all_within(Vec<float> a, double most) {
  return _mm256_movemask_ps(_mm256_cmp_ps(abs(a).v, Vec<float>(most).v, _CMP_LE_OQ)) == 0xff;
}
inline bool all_within(Vec<double> a, double most) {
  return _mm256_movemask_pd(_mm256_cmp_pd(abs(a).v, Vec<double>(most).v, _CMP_LE_OQ)) == 0xf;
}
#else
template <class T> Vec<T> repeat16(const T* from) {
  T all[Vec<T>::size];
  for (int at = 0; at < vector_bytes; at += 16)
    std::memcpy(reinterpret_cast<char*>(all) + at, from, 16);
  return Vec<T>::load(all);
}
/// Without such an instruction: rounded twice.
template <class T> Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) { return a * b + c; }
template <class T> Vec<T> fnma(Vec<T> a, Vec<T> b, Vec<T> c) { return c - a * b; }
template <class T> bool all_within(Vec<T> a, double most) {
  bool all = true;
  for (int i = 0; i < Vec<T>::size; ++i) all = all && abs(a)[i] <= T(most);
  return all;
}
#endif

#if !defined(__AVX512F__) || !defined(__AVX512DQ__)
template <class T> Vec<T> reciprocal(Vec<T> a) { return Vec<T>(1) / a; }
#endif

}  // namespace pinn

namespace pinn::cpu {

/// Beginning of part i of n when `size` is cut into n parts that differ by one at most.
constexpr std::size_t part_begin(std::size_t size, std::size_t n, std::size_t i) {
  return size * i / n;
}
constexpr std::size_t parts_of(std::size_t size, std::size_t longest) {
  return (size + longest - 1) / longest;
}

/// f(l) for l = 0 ... n - 1. Vectors that go through a chain of operations side by side keep the
/// units busy, which one alone leaves waiting.
template <int n, class F> [[gnu::always_inline]] inline void side_by_side(F&& f) {
#pragma GCC unroll 8
  for (int l = 0; l < n; ++l) f(l);
}

/// y = c_0 + c_1 x + c_2 x^2 + ... at n vectors. Terms go in pairs, which wait for each other half
/// as long.
template <class T, std::size_t terms, int n>
[[gnu::always_inline]] inline void polynomial(const std::array<double, terms>& c,
                                              const Vec<T> (&x)[n], Vec<T> (&y)[n]) {
  Vec<T> x2[n];
  const auto pair = [&](int l, int i) { return fma(Vec<T>(c[i + 1]), x[l], Vec<T>(c[i])); };
  side_by_side<n>([&](int l) {
    x2[l] = x[l] * x[l];
    y[l] = terms % 2 == 1 ? Vec<T>(c[terms - 1]) : pair(l, int(terms) - 2);
  });
#pragma GCC unroll 16
  for (int i = (int(terms) - 3) / 2 * 2; i >= 0; i -= 2)
    side_by_side<n>([&](int l) { y[l] = fma(y[l], x2[l], pair(l, i)); });
}

}  // namespace pinn::cpu
