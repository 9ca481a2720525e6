#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>
#include <type_traits>

#include "autograd/core/host_device.h"

namespace pinn {

/// A binary floating type of 8 or 16 bits: sign, exponent, mantissa. Its codes are made here, not
/// by the processor, so that they are the same everywhere.
///
///   source  IEEE 754 (binary16); Micikevicius et al. 2022, FP8 formats for deep learning,
///           arXiv:2209.05433 (e4m3, e5m2)
struct FloatFormat {
  std::string_view name;
  int exponent_bits, mantissa_bits;
  bool has_infinity;  ///< e4m3 has not: of its top codes only the last is NaN

  int bytes() const { return exponent_bits + mantissa_bits > 7 ? 2 : 1; }
  /// Whether numbers of ordinary size may be out of its range.
  bool needs_scale() const { return exponent_bits < 8; }
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int largest_exponent() const { return bias() + (has_infinity ? 0 : 1); }
  /// Of the largest number, 1.11...1: e4m3 lost the last digit to NaN.
  double largest_mantissa() const {
    return 2 - std::ldexp(has_infinity ? 1.0 : 2.0, -mantissa_bits);
  }
  double largest() const { return std::ldexp(largest_mantissa(), largest_exponent()); }
  double smallest_normal() const { return std::ldexp(1.0, 1 - bias()); }
  double smallest() const { return std::ldexp(1.0, 1 - bias() - mantissa_bits); }
};

inline constexpr FloatFormat bf16{"bf16", 8, 7, true};
inline constexpr FloatFormat fp16{"fp16", 5, 10, true};
inline constexpr FloatFormat fp8_e4m3{"fp8_e4m3", 4, 3, false};
inline constexpr FloatFormat fp8_e5m2{"fp8_e5m2", 5, 2, true};
/// All of them; graphs and programs call them by their number here.
inline constexpr FloatFormat float_formats[] = {bf16, fp16, fp8_e4m3, fp8_e5m2};

/// The number of the format with this name; -1 when there is none.
constexpr int find_float_format(std::string_view name) {
  for (int i = 0; i < int(std::size(float_formats)); ++i)
    if (float_formats[i].name == name) return i;
  return -1;
}

/// Numbers of type T to codes of a format and back, without branches, so that loops of it become
/// vectors.
template <class T> class Codec {
 public:
  explicit Codec(const FloatFormat& f)
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
        aligns_(T(std::ldexp(f.smallest(), own_mantissa))) {}

  /// The code of x, rounded to nearest, ties to even. What is too large saturates; infinities and
  /// NaN become NaN, so that no divergence is hidden; the sign of zero stays.
  HD std::uint32_t encode(T x) const {
    const Bits bits = std::bit_cast<Bits>(x), magnitude = bits & (own_sign - 1);
    const T a = std::bit_cast<T>(magnitude), fits = a < largest_ ? a : largest_;
    const Bits own = std::bit_cast<Bits>(fits);
    const Bits even = (Bits(1) << (shift_ - 1)) - 1 + ((own >> shift_) & 1);
    const Bits normal = ((own + even) >> shift_) - rebias_;
    // The sum's last digit is worth the smallest number: its digits are the code.
    const Bits small = std::bit_cast<Bits>(fits + aligns_) - std::bit_cast<Bits>(aligns_);
    const Bits finite = fits < smallest_normal_ ? small : normal;
    const Bits code = magnitude < own_infinity ? finite : sign_ - 1;
    return std::uint32_t(code | ((bits & own_sign) >> sign_shift_));
  }

  /// The number of a code.
  HD T decode(std::uint32_t code) const {
    const Bits magnitude = code & (sign_ - 1), sign = (Bits(code) & sign_) << sign_shift_;
    const T normal = std::bit_cast<T>((magnitude + rebias_) << shift_);
    const T small = T(std::int32_t(magnitude)) * smallest_;
    const T finite = magnitude < first_normal_ ? small : normal;
    const T a = magnitude < first_special_ ? finite : std::numeric_limits<T>::quiet_NaN();
    return std::bit_cast<T>(std::bit_cast<Bits>(a) | sign);
  }

 private:
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int own_bits = 8 * sizeof(T);
  static constexpr int own_mantissa = std::numeric_limits<T>::digits - 1;
  static constexpr int own_bias = std::numeric_limits<T>::max_exponent - 1;
  static constexpr Bits own_sign = Bits(1) << (own_bits - 1);
  static constexpr Bits own_infinity = Bits(2 * own_bias + 1) << own_mantissa;

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
inline int scale_exponent(const FloatFormat& f, double amax) {
  if (!f.needs_scale()) return 0;
  int e = std::ilogb(std::fmax(amax, 1e-12));
  const double digits = std::ldexp(1.0, f.mantissa_bits);
  const double mantissa = std::rint(std::ldexp(std::fmax(amax, 1e-12), -e) * digits) / digits;
  if (mantissa > f.largest_mantissa()) ++e;
  return f.largest_exponent() - e;
}

}  // namespace pinn
