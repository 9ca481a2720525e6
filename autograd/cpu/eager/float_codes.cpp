#include "autograd/cpu/eager/float_codes.h"

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

template <class T, class Code>
void encode_all(const Codec<T> codec, T scale, const T* x, Code* codes, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) codes[i] = Code(codec.encode(x[i] * scale));
}

template <class T, class Code>
void decode_all(const Codec<T> codec, T scale, const Code* codes, T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = codec.decode(codes[i]) * scale;
}

}  // namespace

double largest_finite(DType dtype, const void* x, std::size_t n) {
  return visit_floating(
      dtype, [&](auto zero) { return largest_of(static_cast<const decltype(zero)*>(x), n); });
}

void encode(const FloatFormat& format, int exponent, DType dtype, const void* x, void* codes,
            std::size_t n) {
  visit_floating(dtype, [&](auto zero) {
    using T = decltype(zero);
    const Codec<T> codec(format);
    const T scale = std::ldexp(T(1), exponent);
    if (format.bytes() == 1)
      encode_all(codec, scale, static_cast<const T*>(x), static_cast<std::uint8_t*>(codes), n);
    else
      encode_all(codec, scale, static_cast<const T*>(x), static_cast<std::uint16_t*>(codes), n);
  });
}

void decode(const FloatFormat& format, int exponent, DType dtype, const void* codes, void* x,
            std::size_t n) {
  visit_floating(dtype, [&](auto zero) {
    using T = decltype(zero);
    const Codec<T> codec(format);
    const T scale = std::ldexp(T(1), -exponent);
    if (format.bytes() == 1)
      decode_all(codec, scale, static_cast<const std::uint8_t*>(codes), static_cast<T*>(x), n);
    else
      decode_all(codec, scale, static_cast<const std::uint16_t*>(codes), static_cast<T*>(x), n);
  });
}

}  // namespace pinn::cpu
