#include "autograd/cpu/eager/float_codes.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "autograd/cpu/eager/kernels.h"

namespace pinn::cpu {
namespace {

template <class T> double largest_of(const T* x, std::size_t n) {
  T largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const T a = std::fabs(x[i]), finite = a <= std::numeric_limits<T>::max() ? a : T(0);
    largest = largest < finite ? finite : largest;
  }
  return n == 0 ? 1 : double(largest);
}

/// Address of the exponent of n codes.
template <class Byte> Byte* exponent_of(const FloatFormat& format, Byte* codes, std::int64_t n) {
  return codes + format.bytes_packed(n) - sizeof(std::int32_t);
}

}  // namespace

double largest_finite(DType dtype, const void* x, std::size_t n) {
  return visit_floating(
      dtype, [&](auto zero) { return largest_of(static_cast<const decltype(zero)*>(x), n); });
}

void encode(const FloatFormat& format, int exponent, DType dtype, const void* x, void* codes,
            std::size_t n) {
  visit_floating(dtype, [&]<class T>(T) {
    visit_code(format, [&]<class Code>(Code) {
      const Codec<T> codec(format);
      const T scale = std::ldexp(T(1), exponent), *from = static_cast<const T*>(x);
      Code* to = static_cast<Code*>(codes);
      for (std::size_t i = 0; i < n; ++i) to[i] = Code(codec.encode(from[i] * scale));
    });
  });
}

void decode(const FloatFormat& format, int exponent, DType dtype, const void* codes, void* x,
            std::size_t n) {
  visit_floating(dtype, [&]<class T>(T) {
    visit_code(format, [&]<class Code>(Code) {
      const Codec<T> codec(format);
      const T scale = std::ldexp(T(1), -exponent);
      const Code* from = static_cast<const Code*>(codes);
      T* to = static_cast<T*>(x);
      for (std::size_t i = 0; i < n; ++i) to[i] = codec.decode(from[i]) * scale;
    });
  });
}

void encode(const FloatFormat& format, DType dtype, const void* x, void* codes, std::int64_t n,
            Host) {
  const double largest = format.needs_scale() ? largest_finite(dtype, x, std::size_t(n)) : 0;
  const std::int32_t exponent = scale_exponent(format, largest);
  encode(format, exponent, dtype, x, codes, std::size_t(n));
  if (format.needs_scale())
    std::memcpy(exponent_of(format, static_cast<char*>(codes), n), &exponent, sizeof exponent);
}

void decode(const FloatFormat& format, DType dtype, const void* codes, void* x, std::int64_t n,
            Host) {
  std::int32_t exponent = 0;
  if (format.needs_scale())
    std::memcpy(&exponent, exponent_of(format, static_cast<const char*>(codes), n),
                sizeof exponent);
  decode(format, exponent, dtype, codes, x, std::size_t(n));
}

}  // namespace pinn::cpu
