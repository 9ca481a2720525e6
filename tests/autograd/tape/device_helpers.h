#pragma once
#include "autograd/taylor/jet.h"
#include "tests/autograd/cuda/driver/real_gpu.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/autograd/tape/network.h"

/// Tests of tensors on a GPU run twice: on a simulated one, whose kernels are the same functions,
/// and under the tag [gpu] on a real one where there is one.
namespace pinn::test {

inline constexpr Device gpu0{0};

/// A GPU that runs its streams as late as it may.
struct Simulated {
  explicit Simulated(
      SimulatedDriver::Options options = {.order = SimulatedDriver::Order::needed_only})
      : driver(std::make_shared<SimulatedDriver>(options)), now(driver) {}
  std::string lack() const { return ""; }
  std::shared_ptr<SimulatedDriver> driver;
  cuda::DriverForNow now;
};

struct Real {
  std::string lack() const { return lack_of_gpu(); }
};

/// A function and where to evaluate it, on the CPU.
struct Case {
  std::string name;
  TensorFunction f;
  std::vector<Tensor> inputs;
};

inline Tensor uniform(double from, double to, const Shape& shape, std::uint64_t stream,
                      DType dtype = DType::float64) {
  const Random random{.seed = 5, .stream = stream};
  std::vector<double> values(std::size_t(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = from + (to - from) * random.uniform(i);
  return from_values(values, shape, dtype);
}

inline std::vector<Tensor> moved(const std::vector<Tensor>& tensors, Device device) {
  std::vector<Tensor> there;
  for (const Tensor& t : tensors) {
    there.push_back(t.detach().to(device));
    if (is_floating(t.dtype())) there.back() = there.back().clone().set_requires_grad();
  }
  return there;
}

/// The value of a case on a device, and the gradients of its product with fixed numbers.
inline std::vector<Tensor> value_and_gradients(const Case& c, Device device) {
  const std::vector<Tensor> inputs = moved(c.inputs, device);
  const Tensor y = c.f(inputs);
  std::vector<Tensor> all{y};
  const Tensor seed = normal(y.shape(), 77, y.dtype()).to(device);
  std::vector<Tensor> gradients(inputs.size());
  if (y.requires_grad()) gradients = grad({y}, inputs, {seed}, {.allow_unused = true});
  all.insert(all.end(), gradients.begin(), gradients.end());
  return all;
}

/// Every kind of op, small, with strides, broadcasting and views among the operands.
std::vector<Case> device_cases();

}  // namespace pinn::test
