#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace pinn {

/// Random numbers without state: each is a function of (seed, stream, draw, index).
/// Philox-4x32-10: Salmon, Moraes, Dror, Shaw, SC'11, "Parallel random numbers: as easy as 1, 2,
/// 3". Only integer arithmetic and +, -, *, /, sqrt: the same numbers on every machine.
///
///   counter  (index, stream), two words each, the low word first
///   key      (low word of seed, high word of seed xor draw): seeds below 2^32 share no numbers
struct Random {
  std::uint64_t seed = 0;    ///< the run's one seed
  std::uint64_t stream = 0;  ///< what the numbers are for: stream("initial", "points")
  std::uint32_t draw = 0;    ///< counts redraws

  /// 128 random bits for one index.
  std::array<std::uint32_t, 4> bits(std::uint64_t index) const;
  /// Uniform in (0, 1): an odd multiple of 2^-53; two independent ones per index (part = 0 or 1).
  double uniform(std::uint64_t index, int part = 0) const;
  /// Standard normal deviate, by the inverse distribution function; |z| < 8.3.
  double normal(std::uint64_t index, int part = 0) const;
  /// A generator of its own for coordinate, layer, part ... `number`. It takes its stream from
  /// bits(~number), so the parent may use any index below 2^63.
  Random child(std::uint64_t number) const;
};

/// z with P(Z < z) = p for a standard normal Z, 0 < p < 1, to about 1e-15 of z.
/// source: Wichura (1988), Applied Statistics 37, 477-484, algorithm AS 241 (PPND16).
double normal_quantile(double p);

/// A stable 64-bit hash of a name and a purpose (FNV-1a), for Random::stream.
std::uint64_t stream(std::string_view name, std::string_view purpose);

}  // namespace pinn
