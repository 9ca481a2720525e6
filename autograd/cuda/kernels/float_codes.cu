#include "autograd/cuda/kernels/kernels.h"
#include "autograd/cuda/kernels/launch.cuh"

namespace pinn::cuda {
namespace {

/// The power of two that an exponent on the device stands for, or its inverse; 1 without any.
template <class T> HD T scale_of(const int* exponent, int sign) {
  return exponent ? T(::ldexp(1.0, sign * *exponent)) : T(1);
}

struct FindScale {
  FloatFormat format;
  const double* largest;
  int* exponent;
  HD void operator()(std::int64_t) const { *exponent = scale_exponent(format, *largest); }
};

template <class T, class Code> struct Encode {
  Codec<T> codec;
  const int* exponent;
  const T* x;
  Code* codes;
  HD void operator()(std::int64_t i) const {
    codes[i] = Code(codec.encode(x[i] * scale_of<T>(exponent, 1)));
  }
};

template <class T, class Code> struct Decode {
  Codec<T> codec;
  const int* exponent;
  const Code* codes;
  T* x;
  HD void operator()(std::int64_t i) const {
    x[i] = codec.decode(codes[i]) * scale_of<T>(exponent, -1);
  }
};

/// Address of the exponent of n codes; null where there is none.
template <class Byte> auto exponent_of(const FloatFormat& format, Byte* codes, std::int64_t n) {
  using Int = std::conditional_t<std::is_const_v<Byte>, const int, int>;
  const auto end = codes + format.bytes_packed(n);
  return format.needs_scale() ? reinterpret_cast<Int*>(end) - 1 : nullptr;
}

}  // namespace

void encode(const FloatFormat& format, DType dtype, const void* x, void* codes, std::int64_t n,
            Gpu& gpu) {
  int* const exponent = exponent_of(format, static_cast<char*>(codes), n);
  if (exponent) {
    const auto largest = gpu.allocate(sizeof(double));
    double* const there = static_cast<double*>(largest.get());
    largest_finite(dtype, x, n, there, gpu);
    for_each(gpu, 1, FindScale{format, there, exponent});
  }
  visit_floating(dtype, [&]<class T>(T) {
    visit_code(format, [&]<class Code>(Code) {
      for_each(gpu, n,
               Encode<T, Code>{Codec<T>(format), exponent, static_cast<const T*>(x),
                               static_cast<Code*>(codes)});
    });
  });
}

void decode(const FloatFormat& format, DType dtype, const void* codes, void* x, std::int64_t n,
            Gpu& gpu) {
  const int* const exponent = exponent_of(format, static_cast<const char*>(codes), n);
  visit_floating(dtype, [&]<class T>(T) {
    visit_code(format, [&]<class Code>(Code) {
      for_each(gpu, n,
               Decode<T, Code>{Codec<T>(format), exponent, static_cast<const Code*>(codes),
                               static_cast<T*>(x)});
    });
  });
}

}  // namespace pinn::cuda
