#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace pinn {

/// Random numbers without state: each is a function of (seed, stream, draw, index).
/// Philox-4x32-10: Salmon, Moraes, Dror, Shaw, SC'11, "Parallel random numbers: as easy as 1, 2, 3".
/// Only integer arithmetic and +, -, *, /, sqrt: the same numbers on every machine.
struct Random {
  std::uint64_t seed = 0;    ///< the run's one seed
  std::uint64_t stream = 0;  ///< whom the numbers are for: stream("initial", "points")
  std::uint32_t draw = 0;    ///< counts redraws

  /// 128 random bits for one index.
  std::array<std::uint32_t, 4> bits(std::uint64_t index) const;
  /// Uniform in (0, 1), 53 bits; two independent ones per index (part = 0 or 1).
  double uniform(std::uint64_t index, int part = 0) const;
  /// Standard normal deviate, by the inverse distribution function (Wichura 1988, AS 241).
  double normal(std::uint64_t index, int part = 0) const;
};

/// A stable 64-bit hash of a name and a purpose (FNV-1a), for Random::stream.
std::uint64_t stream(std::string_view name, std::string_view purpose);

}  // namespace pinn
