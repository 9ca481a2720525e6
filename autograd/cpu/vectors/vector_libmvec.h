#pragma once
#include <immintrin.h>

#include "autograd/cpu/vectors/vector_register.h"

/// Functions of vectors by libmvec, which is part of glibc; errors up to 4 units in the last place.
/// Its names follow the x86-64 vector function ABI: _ZGV, instruction set, N, lanes, one v per
/// argument, and the scalar name.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define PINN_DOUBLE(arguments) "_ZGVeN8" arguments
#define PINN_FLOAT(arguments) "_ZGVeN16" arguments
#elif defined(__AVX2__)
#define PINN_DOUBLE(arguments) "_ZGVdN4" arguments
#define PINN_FLOAT(arguments) "_ZGVdN8" arguments
#else
#define PINN_DOUBLE(arguments) "_ZGVbN2" arguments
#define PINN_FLOAT(arguments) "_ZGVbN4" arguments
#endif

namespace pinn {
namespace libmvec {

using Double = Vec<double>::Native;
using Float = Vec<float>::Native;
[[gnu::const]] Double exp(Double) __asm__(PINN_DOUBLE("v_exp"));
[[gnu::const]] Float exp(Float) __asm__(PINN_FLOAT("v_expf"));
[[gnu::const]] Double log(Double) __asm__(PINN_DOUBLE("v_log"));
[[gnu::const]] Float log(Float) __asm__(PINN_FLOAT("v_logf"));
[[gnu::const]] Double log1p(Double) __asm__(PINN_DOUBLE("v_log1p"));
[[gnu::const]] Float log1p(Float) __asm__(PINN_FLOAT("v_log1pf"));
[[gnu::const]] Double sin(Double) __asm__(PINN_DOUBLE("v_sin"));
[[gnu::const]] Float sin(Float) __asm__(PINN_FLOAT("v_sinf"));
[[gnu::const]] Double cos(Double) __asm__(PINN_DOUBLE("v_cos"));
[[gnu::const]] Float cos(Float) __asm__(PINN_FLOAT("v_cosf"));
[[gnu::const]] Double tan(Double) __asm__(PINN_DOUBLE("v_tan"));
[[gnu::const]] Float tan(Float) __asm__(PINN_FLOAT("v_tanf"));
[[gnu::const]] Double atan(Double) __asm__(PINN_DOUBLE("v_atan"));
[[gnu::const]] Float atan(Float) __asm__(PINN_FLOAT("v_atanf"));
[[gnu::const]] Double sinh(Double) __asm__(PINN_DOUBLE("v_sinh"));
[[gnu::const]] Float sinh(Float) __asm__(PINN_FLOAT("v_sinhf"));
[[gnu::const]] Double cosh(Double) __asm__(PINN_DOUBLE("v_cosh"));
[[gnu::const]] Float cosh(Float) __asm__(PINN_FLOAT("v_coshf"));
[[gnu::const]] Double tanh(Double) __asm__(PINN_DOUBLE("v_tanh"));
[[gnu::const]] Float tanh(Float) __asm__(PINN_FLOAT("v_tanhf"));
[[gnu::const]] Double erf(Double) __asm__(PINN_DOUBLE("v_erf"));
[[gnu::const]] Float erf(Float) __asm__(PINN_FLOAT("v_erff"));
[[gnu::const]] Double pow(Double, Double) __asm__(PINN_DOUBLE("vv_pow"));
[[gnu::const]] Float pow(Float, Float) __asm__(PINN_FLOAT("vv_powf"));
[[gnu::const]] Double atan2(Double, Double) __asm__(PINN_DOUBLE("vv_atan2"));
[[gnu::const]] Float atan2(Float, Float) __asm__(PINN_FLOAT("vv_atan2f"));

}  // namespace libmvec

#undef PINN_DOUBLE
#undef PINN_FLOAT

template <class T> Vec<T> exp(Vec<T> x) { return libmvec::exp(x.v); }
template <class T> Vec<T> log(Vec<T> x) { return libmvec::log(x.v); }
template <class T> Vec<T> log1p(Vec<T> x) { return libmvec::log1p(x.v); }
template <class T> Vec<T> sin(Vec<T> x) { return libmvec::sin(x.v); }
template <class T> Vec<T> cos(Vec<T> x) { return libmvec::cos(x.v); }
template <class T> Vec<T> tan(Vec<T> x) { return libmvec::tan(x.v); }
template <class T> Vec<T> atan(Vec<T> x) { return libmvec::atan(x.v); }
template <class T> Vec<T> sinh(Vec<T> x) { return libmvec::sinh(x.v); }
template <class T> Vec<T> cosh(Vec<T> x) { return libmvec::cosh(x.v); }
template <class T> Vec<T> tanh(Vec<T> x) { return libmvec::tanh(x.v); }
template <class T> Vec<T> erf(Vec<T> x) { return libmvec::erf(x.v); }
template <class T> Vec<T> pow(Vec<T> x, Vec<T> y) { return libmvec::pow(x.v, y.v); }
template <class T> Vec<T> atan2(Vec<T> x, Vec<T> y) { return libmvec::atan2(x.v, y.v); }

#if defined(__AVX512F__) && defined(__AVX512DQ__)
inline Vec<double> sqrt(Vec<double> x) { return _mm512_maskz_sqrt_pd(0xff, x.v); }
inline Vec<float> sqrt(Vec<float> x) { return _mm512_maskz_sqrt_ps(0xffff, x.v); }
#elif defined(__AVX2__)
inline Vec<double> sqrt(Vec<double> x) { return _mm256_sqrt_pd(x.v); }
inline Vec<float> sqrt(Vec<float> x) { return _mm256_sqrt_ps(x.v); }
#else
inline Vec<double> sqrt(Vec<double> x) { return _mm_sqrt_pd(x.v); }
inline Vec<float> sqrt(Vec<float> x) { return _mm_sqrt_ps(x.v); }
#endif

}  // namespace pinn
