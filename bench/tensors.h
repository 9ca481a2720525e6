#pragma once
#include <string_view>
#include <vector>

#include "autograd/core/random.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/functions.h"

namespace pinn::bench {

/// `count` standard normal deviates that belong to this name, the same on every run. Rounded to
/// float32, so that all number types start from the same values.
inline std::vector<double> normals(std::size_t count, std::string_view name) {
  const Random random{.seed = 0, .stream = stream(name, "bench")};
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = float(random.normal(i));
  return values;
}

/// `count` numbers uniform in (lower, upper), rounded alike.
inline std::vector<double> uniforms(std::size_t count, std::string_view name, double lower,
                                    double upper) {
  const Random random{.seed = 0, .stream = stream(name, "bench")};
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = float(lower + (upper - lower) * random.uniform(i));
  return values;
}

inline Tensor normal(const Shape& shape, std::string_view name, DType dtype) {
  return from_values(normals(std::size_t(shape.numel()), name), shape, dtype);
}

/// The largest |a - b|, and the largest |a|.
double distance(const std::vector<double>& a, const std::vector<double>& b);
double largest(const std::vector<double>& a);

/// Turns engine switches, and back at the end of the scope.
struct Switched {
  explicit Switched(EngineSwitches to) : before(engine_switches()) { engine_switches() = to; }
  ~Switched() { engine_switches() = before; }
  Switched(const Switched&) = delete;
  EngineSwitches before;
};

}  // namespace pinn::bench
