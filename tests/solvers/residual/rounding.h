#pragma once
#include <array>
#include <cmath>
#include <string>
#include <vector>

/// Effect that rounding of saved tensors may have on a gradient.
namespace pinn::test {

struct Band {
  std::string kind;  ///< as [memory] saved has it
  double width;      ///< of the relative error: about the rounding of one number
};
inline const std::array<Band, 4> bands{
    {{"bf16", 1e-2}, {"fp16", 1e-2}, {"fp8_e4m3", 1e-1}, {"fp8_e5m2", 2e-1}}};

inline double relative_error(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / size);
}

}  // namespace pinn::test
