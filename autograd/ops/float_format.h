#pragma once
#include "autograd/core/host_device.h"

/// Also part of the text of kernels that are built while the program runs: no standard library.
namespace pinn {

/// 2^e, while a program is compiled too.
HD constexpr double power_of_two(int e) {
  double x = 1;
  for (; e > 0; --e) x *= 2;
  for (; e < 0; ++e) x /= 2;
  return x;
}

/// A binary floating type of 8 or 16 bits: sign, exponent, mantissa. Its codes are made here, not
/// by the processor, so that they are the same everywhere.
///
///   source  IEEE 754 (binary16); Micikevicius et al. 2022, FP8 formats for deep learning,
///           arXiv:2209.05433 (e4m3, e5m2)
struct FloatFormat {
  const char* name;
  int exponent_bits, mantissa_bits;
  bool has_infinity;  ///< e4m3 has not: of its top codes only the last is NaN

  HD constexpr int bytes() const { return exponent_bits + mantissa_bits > 7 ? 2 : 1; }
  /// Bytes of n codes and, behind them, the exponent of their scale, an int.
  HD constexpr long long bytes_packed(long long n) const {
    return needs_scale() ? (n * bytes() + 3) / 4 * 4 + 4 : n * bytes();
  }
  /// True if numbers of ordinary size may be out of its range.
  HD constexpr bool needs_scale() const { return exponent_bits < 8; }
  HD constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  HD constexpr int largest_exponent() const { return bias() + (has_infinity ? 0 : 1); }
  /// Mantissa of the largest number, 1.11...1: e4m3 lost the last digit to NaN.
  HD constexpr double largest_mantissa() const {
    return 2 - (has_infinity ? 1 : 2) * power_of_two(-mantissa_bits);
  }
  HD constexpr double largest() const {
    return largest_mantissa() * power_of_two(largest_exponent());
  }
  HD constexpr double smallest_normal() const { return power_of_two(1 - bias()); }
  HD constexpr double smallest() const { return power_of_two(1 - bias() - mantissa_bits); }
};

inline constexpr FloatFormat bf16{"bf16", 8, 7, true};
inline constexpr FloatFormat fp16{"fp16", 5, 10, true};
inline constexpr FloatFormat fp8_e4m3{"fp8_e4m3", 4, 3, false};
inline constexpr FloatFormat fp8_e5m2{"fp8_e5m2", 5, 2, true};
/// All of them; graphs and programs call them by their number here.
inline constexpr FloatFormat float_formats[] = {bf16, fp16, fp8_e4m3, fp8_e5m2};

/// g of a code, whose type holds those of a format.
template <class G> HD void visit_code(const FloatFormat& f, G&& g) {
  if (f.bytes() == 1)
    g(static_cast<unsigned char>(0));
  else
    g(static_cast<unsigned short>(0));
}

/// Bit layout of a number.
template <class T> struct FloatBits;
template <> struct FloatBits<float> {
  using Bits = unsigned;
  static constexpr int bits = 32, mantissa = 23, bias = 127;
};
template <> struct FloatBits<double> {
  using Bits = unsigned long long;
  static constexpr int bits = 64, mantissa = 52, bias = 1023;
};

/// Numbers of type T to codes of a format and back, without branches, so that loops of it become
/// vectors.
template <class T> class Codec {
 public:
  HD constexpr explicit Codec(const FloatFormat& f)
      : sign_(Bits(1) << (f.exponent_bits + f.mantissa_bits)),
        first_special_(f.has_infinity ? ((Bits(1) << f.exponent_bits) - 1) << f.mantissa_bits
                                      : sign_ - 1),
        shift_(own_mantissa - f.mantissa_bits),
        sign_shift_(own_bits - 1 - f.exponent_bits - f.mantissa_bits),
        rebias_(Bits(own_bias - f.bias()) << f.mantissa_bits),
        first_normal_(Bits(1) << f.mantissa_bits),
        largest_(T(f.largest())),
        smallest_normal_(T(f.smallest_normal())),
        smallest_(T(f.smallest())),
        aligns_(T(f.smallest() * power_of_two(own_mantissa))) {}

  /// The code of x, rounded to nearest, ties to even. What is too large saturates; infinities and
  /// NaN become NaN, so that no divergence is hidden; the sign of zero stays.
  HD unsigned encode(T x) const {
    const Bits bits = bits_of(x), magnitude = bits & (own_sign - 1);
    const T a = number_of(magnitude), fits = a < largest_ ? a : largest_;
    const Bits own = bits_of(fits);
    const Bits even = (Bits(1) << (shift_ - 1)) - 1 + ((own >> shift_) & 1);
    const Bits normal = ((own + even) >> shift_) - rebias_;
    // The sum's last digit is worth the smallest number: its digits are the code.
    const Bits small = bits_of(fits + aligns_) - bits_of(aligns_);
    const Bits finite = fits < smallest_normal_ ? small : normal;
    const Bits code = magnitude < own_infinity ? finite : sign_ - 1;
    return unsigned(code | ((bits & own_sign) >> sign_shift_));
  }

  /// The number of a code.
  HD T decode(unsigned code) const {
    const Bits magnitude = code & (sign_ - 1), sign = (Bits(code) & sign_) << sign_shift_;
    const T normal = number_of((magnitude + rebias_) << shift_);
    const T small = T(int(magnitude)) * smallest_;
    const T finite = magnitude < first_normal_ ? small : normal;
    const Bits a = magnitude < first_special_ ? bits_of(finite) : not_a_number;
    return number_of(a | sign);
  }

 private:
  using Own = FloatBits<T>;
  using Bits = typename Own::Bits;
  static constexpr int own_bits = Own::bits, own_mantissa = Own::mantissa, own_bias = Own::bias;
  static constexpr Bits own_sign = Bits(1) << (own_bits - 1);
  static constexpr Bits own_infinity = Bits(2 * own_bias + 1) << own_mantissa;
  static constexpr Bits not_a_number = own_infinity | Bits(1) << (own_mantissa - 1);

  HD static Bits bits_of(T x) { return __builtin_bit_cast(Bits, x); }
  HD static T number_of(Bits bits) { return __builtin_bit_cast(T, bits); }

  Bits sign_;           ///< its bit; the code before it is NaN
  Bits first_special_;  ///< codes from here on are infinity and NaN
  int shift_;           ///< bits of mantissa that T has more
  int sign_shift_;
  Bits rebias_;
  Bits first_normal_;
  T largest_, smallest_normal_, smallest_, aligns_;
};

/// The power of two k for which numbers of magnitude up to `amax`, times 2^k, use the whole range
/// of the format: amax, rounded to its mantissa, is the largest that fits. Being a power of two it
/// changes no digit, so what is representable comes back as it was. bf16 has range enough: 0.
HD inline int scale_exponent(const FloatFormat& f, double amax) {
  if (!f.needs_scale()) return 0;
  const double clamped = amax > 1e-12 ? amax : 1e-12;
  int e = ::ilogb(clamped);
  const double digits = power_of_two(f.mantissa_bits);
  const double mantissa = ::rint(::ldexp(clamped, -e) * digits) / digits;
  if (mantissa > f.largest_mantissa()) ++e;
  return f.largest_exponent() - e;
}

}  // namespace pinn
