#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "autograd/tape/tensor.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/catch.h"
#include "tests/larger.h"

/// For tests of parameters that are moved on a GPU, beside those that are moved by the host.
namespace pinn::test {

inline const Device gpu{0};
/// How far apart two devices take some dozens of moves, as a part of the largest number: their
/// gradients differ in the last digits, and Adam divides small components by their size. Measured
/// 2e-10 and less.
inline constexpr double two_gradients = 1e-8;

inline std::shared_ptr<SimulatedDriver> simulated(
    SimulatedDriver::Order order = SimulatedDriver::Order::needed_only) {
  SimulatedDriver::Options options;
  options.order = order;
  return std::make_shared<SimulatedDriver>(options);
}

inline double largest(std::span<const double> x) {
  double most = 0;
  for (const double v : x) most = larger(most, std::fabs(v));
  return most;
}

/// The largest difference, as a part of the largest number.
inline double distance(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.values(), y = b.values();
  REQUIRE(x.size() == y.size());
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = larger(most, std::fabs(x[i] - y[i]));
  return most / largest(y);
}

}  // namespace pinn::test
