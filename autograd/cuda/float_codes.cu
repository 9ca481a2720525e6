#include "autograd/cuda/float_codes.h"

#include "autograd/cuda/launch.cuh"

namespace pinn::cuda {
namespace {

template <class T, class Code> struct Encode {
  Codec<T> codec;
  T scale;
  const T* x;
  Code* codes;
  HD void operator()(std::int64_t i) const { codes[i] = Code(codec.encode(x[i] * scale)); }
};

template <class T, class Code> struct Decode {
  Codec<T> codec;
  T scale;
  const Code* codes;
  T* x;
  HD void operator()(std::int64_t i) const { x[i] = codec.decode(codes[i]) * scale; }
};

/// f(T{}, Code{}) for the types of the numbers and of their codes.
template <class F> void visit_types(DType dtype, const FloatFormat& format, F&& f) {
  visit_floating(dtype, [&](auto zero) {
    if (format.bytes() == 1)
      f(zero, std::uint8_t{});
    else
      f(zero, std::uint16_t{});
  });
}

}  // namespace

void encode(Gpu& gpu, const FloatFormat& format, int exponent, DType dtype, const void* x,
            void* codes, std::int64_t n) {
  visit_types(dtype, format, [&]<class T, class Code>(T, Code) {
    for_each(gpu, n,
             Encode<T, Code>{Codec<T>(format), T(std::ldexp(T(1), exponent)),
                             static_cast<const T*>(x), static_cast<Code*>(codes)});
  });
}

void decode(Gpu& gpu, const FloatFormat& format, int exponent, DType dtype, const void* codes,
            void* x, std::int64_t n) {
  visit_types(dtype, format, [&]<class T, class Code>(T, Code) {
    for_each(gpu, n,
             Decode<T, Code>{Codec<T>(format), T(std::ldexp(T(1), -exponent)),
                             static_cast<const Code*>(codes), static_cast<T*>(x)});
  });
}

}  // namespace pinn::cuda
