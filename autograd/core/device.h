#pragma once
#include <string>

namespace pinn {

/// Where numbers live: in the memory of the host, or in that of a GPU.
struct Device {
  int gpu = -1;  ///< which GPU, from 0; -1 is the CPU

  static const Device cpu;
  bool is_cpu() const { return gpu < 0; }
  bool operator==(const Device&) const = default;
};
inline constexpr Device Device::cpu{};

/// "cpu", "cuda:0".
inline std::string name_of(Device device) {
  return device.is_cpu() ? "cpu" : "cuda:" + std::to_string(device.gpu);
}

}  // namespace pinn
