#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace pinn {

/// The number types of tensors. Only the floating ones are differentiable.
enum class DType : unsigned char { float64, float32, int32, boolean };

inline std::size_t size_of(DType t) {
  return t == DType::float64 ? 8 : t == DType::boolean ? 1 : 4;
}
inline const char* name_of(DType t) {
  constexpr const char* names[] = {"float64", "float32", "int32", "boolean"};
  return names[static_cast<int>(t)];
}
inline bool is_floating(DType t) { return t == DType::float64 || t == DType::float32; }

template <class T> inline constexpr DType dtype_of = DType::boolean;
template <> inline constexpr DType dtype_of<double> = DType::float64;
template <> inline constexpr DType dtype_of<float> = DType::float32;
template <> inline constexpr DType dtype_of<std::int32_t> = DType::int32;

/// Calls f(T{}) with the C++ type of a dtype; the one place that maps dtypes to types.
template <class F> decltype(auto) visit_dtype(DType t, F&& f) {
  switch (t) {
    case DType::float64:
      return f(double{});
    case DType::float32:
      return f(float{});
    case DType::int32:
      return f(std::int32_t{});
    default:
      return f(bool{});
  }
}

/// As visit_dtype, for the floating types only.
template <class F> decltype(auto) visit_floating(DType t, F&& f) {
  return t == DType::float32 ? f(float{}) : f(double{});
}

/// Memory that numbers live in: that of the host, or that of a GPU.
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

/// How float32 products are made where a device can do more than one thing.
enum class Products : unsigned char {
  exact,   ///< as float32
  tf32,    ///< of numbers rounded to 11 bits, which is what tensor cores do fastest
  tf32x3,  ///< as the sum of three such products of halves: about the digits of float32
  bf16x3,  ///< as the sum of six products of bf16 parts: the digits of float32; CPUs with tiles
};

}  // namespace pinn
