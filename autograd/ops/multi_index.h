#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace pinn {

inline constexpr int max_coordinates = 128;

/// How often to differentiate by each coordinate: u_xxt is {2, 1} for coordinates x, t.
using MultiIndex = std::array<std::uint8_t, max_coordinates>;

/// The total order, |a|.
inline int order(const MultiIndex& a) {
  int sum = 0;
  for (const auto n : a) sum += n;
  return sum;
}
/// a <= b in every component.
inline bool divides(const MultiIndex& a, const MultiIndex& b) {
  for (int i = 0; i < max_coordinates; ++i)
    if (a[i] > b[i]) return false;
  return true;
}
inline MultiIndex operator+(MultiIndex a, const MultiIndex& b) {
  for (int i = 0; i < max_coordinates; ++i) a[i] = std::uint8_t(a[i] + b[i]);
  return a;
}
/// a - b; only where divides(b, a).
inline MultiIndex operator-(MultiIndex a, const MultiIndex& b) {
  for (int i = 0; i < max_coordinates; ++i) a[i] = std::uint8_t(a[i] - b[i]);
  return a;
}
/// The first derivative by coordinate i.
inline MultiIndex unit_index(int i) {
  MultiIndex a{};
  a[i] = 1;
  return a;
}

}  // namespace pinn
