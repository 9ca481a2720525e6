#include "autograd/core/random.h"

#include <cmath>

namespace pinn {
namespace {

using Words = std::array<std::uint32_t, 4>;

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
std::uint64_t join(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

/// Philox-4x32 of ten rounds, with the constants of the paper's table 2.
Words philox(Words c, std::uint32_t k0, std::uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c[2];
    c = {high(p1) ^ c[1] ^ k0, low(p1), high(p0) ^ c[3] ^ k1, low(p0)};
    k0 += 0x9E3779B9;  // the golden ratio
    k1 += 0xBB67AE85;  // sqrt(3) - 1
  }
  return c;
}

/// log x for x > 0, of +, -, *, / alone, since the last bit of std::log differs between machines.
/// With x = m 2^e, sqrt(1/2) <= m < sqrt(2) and s = (m - 1) / (m + 1): log m = 2 artanh s. |s| <
/// 0.172, so the series may stop at s^23.
double portable_log(double x) {
  int e = 0;
  double m = std::frexp(x, &e);
  if (m < 0.70710678118654752) m *= 2, --e;
  const double s = (m - 1) / (m + 1);
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * (s * s) + 1.0 / k;
  return 0.69314718055994531 * e + 2 * s * sum;
}

using Coefficients = std::array<double, 8>;

double polynomial(const Coefficients& c, double r) {
  double sum = 0;
  for (int k = 7; k >= 0; --k) sum = sum * r + c[k];
  return sum;
}

// AS 241: numerator and denominator in the center, in the tails and far out in the tails.
constexpr Coefficients center_over = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                      1.9715909503065514427e3, 1.3731693765509461125e4,
                                      4.5921953931549871457e4, 6.7265770927008700853e4,
                                      3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr Coefficients center_under = {1,
                                       4.2313330701600911252e1,
                                       6.8718700749205790830e2,
                                       5.3941960214247511077e3,
                                       2.1213794301586595867e4,
                                       3.9307895800092710610e4,
                                       2.8729085735721942674e4,
                                       5.2264952788528545610e3};
constexpr Coefficients tail_over = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                    5.76949722146069140550e0,  3.64784832476320460504e0,
                                    1.27045825245236838258e0,  2.41780725177450611770e-1,
                                    2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients tail_under = {1,
                                     2.05319162663775882187e0,
                                     1.67638483018380384940e0,
                                     6.89767334985100004550e-1,
                                     1.48103976427480074590e-1,
                                     1.51986665636164571966e-2,
                                     5.47593808499534494600e-4,
                                     1.05075007164441684324e-9};
constexpr Coefficients far_over = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                   1.78482653991729133580e0,  2.96560571828504891230e-1,
                                   2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                   2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients far_under = {1,
                                    5.99832206555887937690e-1,
                                    1.36929880922735805310e-1,
                                    1.48753612908506148525e-2,
                                    7.86869131145613259100e-4,
                                    1.84631831751005468180e-5,
                                    1.42151175831644588870e-7,
                                    2.04426310338993978564e-15};

}  // namespace

std::array<std::uint32_t, 4> Random::bits(std::uint64_t index) const {
  return philox({low(index), high(index), low(stream), high(stream)}, low(seed), high(seed) ^ draw);
}

double Random::uniform(std::uint64_t index, int part) const {
  const Words w = bits(index);
  const std::uint64_t k = join(w[2 * part], w[2 * part + 1]) >> 12;
  return (static_cast<double>(k) + 0.5) * 0x1p-52;
}

double Random::normal(std::uint64_t index, int part) const {
  return normal_quantile(uniform(index, part));
}

Random Random::child(std::uint64_t number) const {
  const Words w = bits(~number);
  return {seed, join(w[0], w[1]), draw};
}

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(center_over, r) / polynomial(center_under, r);
  }
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double z = r <= 5 ? polynomial(tail_over, r - 1.6) / polynomial(tail_under, r - 1.6)
                          : polynomial(far_over, r - 5) / polynomial(far_under, r - 5);
  return q < 0 ? -z : z;
}

std::uint64_t stream(std::string_view name, std::string_view purpose) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a, offset basis and prime of 64 bits
  const auto add = [&hash](char c) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  };
  for (char c : name) add(c);
  add('\0');  // so that ("ab", "c") is not ("a", "bc")
  for (char c : purpose) add(c);
  return hash;
}

}  // namespace pinn
