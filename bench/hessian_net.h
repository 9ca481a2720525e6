#pragma once
#include <array>
#include <functional>
#include <string>

#include "autograd/core/stats.h"
#include "bench/row.h"
#include "bench/tensors.h"

namespace pinn::bench {

/// The workload W-HESS: Linear(2, width), f, then five times [Linear(width, width), f], then
/// Linear(width, 3), and every second derivative of its three outputs by its two inputs.
///
///   source   the network and the loops of the benchmark in pytorch/functorch issue 989 and
///            pytorch/benchmark vmap_hessian_fc.py, which PyTorch's pull request 82544 quotes
struct HessianNet {
  int activation = 0;
  DType dtype = DType::float32;
  std::vector<Tensor> w, b;  ///< [in, out], [out]; require gradients
  Tensor x;                  ///< [points, 2]
  int segment = 0;           ///< layers per checkpoint in reverse mode; 0: none

  /// Weights and biases uniform in +-1/sqrt(in), points normal: functions of the sizes alone.
  HessianNet(const std::string& activation, std::int64_t points, std::int64_t width, DType dtype,
             Device device = Device::cpu);

  std::int64_t points() const { return x.shape()[0]; }
  std::int64_t width() const { return w[0].shape()[1]; }
  std::vector<Tensor> parameters() const;  ///< W0, b0, W1, b1, ...
  std::vector<double> parameter_values() const;
  void clear_gradients() const;
  std::vector<double> gradient() const;
};

/// Counts of square products by phase, in units of one of [points, width] times [width, width].
struct PhaseCounts {
  double forward = 0, jacobian = 0, hessian = 0, backward = 0;
  std::array<double, 4> all() const { return {forward, jacobian, hessian, backward}; }
};

/// Results of one iteration.
struct HessianResult {
  Tensor jacobian;  ///< [3, points, 2]
  Tensor hessian;   ///< [6, points, 2]: row 2 i + j is the gradient of d u_i / d x_j
  PhaseCounts counts;
  std::size_t products = 0;  ///< logged before the backward pass
};

/// By nested reverse passes, as in the source; `with_backward` adds the gradient of the sum of the
/// Hessian to every parameter's grad(), and calls `before_backward` before it does.
HessianResult reverse_hessian(const HessianNet& net, bool with_backward,
                              const std::function<void()>& before_backward = {});
/// The same by one jet of six channels: u, u_x, u_y, u_xx, u_xy, u_yy.
HessianResult taylor_hessian(const HessianNet& net, bool with_backward);

}  // namespace pinn::bench
