#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "autograd/ops/number.h"

namespace pinn {

/// The widest vector register of the instruction set this file is compiled for, in bytes.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// As many numbers as fit in a vector register, with the arithmetic and the functions of one
/// number: T(0.5) is a literal, x < y a mask for select. What becomes of an element does not depend
/// on the place where it stands.
template <class T> struct Vec {
  static constexpr int size = vector_bytes / int(sizeof(T));
  using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  typedef T Native __attribute__((vector_size(vector_bytes)));
  typedef Bits Mask __attribute__((vector_size(vector_bytes)));

  Native v = {};

  Vec() = default;
  Vec(Native native) : v(native) {}
  explicit Vec(double constant) : v(T(constant) - Native{}) {}  // c - 0 is c, also for c = -0

  T operator[](int lane) const { return v[lane]; }

  static Vec load(const T* from) {
    Vec x;
    std::memcpy(&x.v, from, sizeof x.v);
    return x;
  }
  void store(T* to) const { std::memcpy(to, &v, sizeof v); }

  /// The first n numbers; the other lanes repeat the first, so that they do nothing unusual.
  static Vec load(const T* from, std::size_t n) {
    Vec x(*from);
    std::memcpy(&x.v, from, n * sizeof(T));
    return x;
  }
  void store(T* to, std::size_t n) const { std::memcpy(to, &v, n * sizeof(T)); }

  friend Vec operator+(Vec a, Vec b) { return a.v + b.v; }
  friend Vec operator-(Vec a, Vec b) { return a.v - b.v; }
  friend Vec operator*(Vec a, Vec b) { return a.v * b.v; }
  friend Vec operator/(Vec a, Vec b) { return a.v / b.v; }
  friend Vec operator-(Vec a) { return -a.v; }
  friend Mask operator<(Vec a, Vec b) { return a.v < b.v; }
  friend Mask operator<=(Vec a, Vec b) { return a.v <= b.v; }
  friend Mask operator==(Vec a, Vec b) { return a.v == b.v; }
  friend Vec select(Mask where, Vec a, Vec b) { return where ? a.v : b.v; }
  friend Vec abs(Vec a) { return Native(Mask(a.v) & ~Mask(Vec(-0.0).v)); }
};

template <class T> inline constexpr bool is_number<Vec<T>> = true;

/// f(i, count) for the vectors that n numbers fill: count is Vec<T>::size but for the last.
template <class T, class F> void each_vector(std::size_t n, F&& f) {
  constexpr std::size_t size = Vec<T>::size;
  std::size_t i = 0;
  for (; i + size <= n; i += size) f(i, size);
  if (i < n) f(i, n - i);
}

}  // namespace pinn
