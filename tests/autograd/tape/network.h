#pragma once
#include "tests/autograd/tape/helpers.h"

namespace pinn::test {

/// A multilayer perceptron of recorded matrix products: h <- f(h W + b), no f after the last layer.
struct Perceptron {
  int activation;
  std::vector<Tensor> w, b;

  Perceptron(int activation_id, const std::vector<std::int64_t>& widths)
      : activation(activation_id) {
    for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
      w.push_back(0.5 * normal({widths[l], widths[l + 1]}, 100 + l));
      b.push_back(0.5 * normal({widths[l + 1]}, 200 + l));
      w.back().set_requires_grad();
      b.back().set_requires_grad();
    }
  }
  Tensor operator()(const Tensor& x) const {
    Tensor h = x;
    for (std::size_t l = 0; l < w.size(); ++l) {
      h = matmul(h, w[l]) + b[l];
      if (l + 1 < w.size()) h = apply_unary(activation, h);
    }
    return h;
  }
  std::vector<Tensor> parameters() const {
    std::vector<Tensor> all = w;
    all.insert(all.end(), b.begin(), b.end());
    return all;
  }
};

/// d y[:, i] / d x, one row per point, recorded.
inline Tensor column_gradient(const Tensor& y, int i, const Tensor& x) {
  return grad({select(y, 1, i)}, {x}, {ones({y.shape()[0]}, y.dtype(), y.device())},
              {.create_graph = true, .materialize = true})[0];
}

}  // namespace pinn::test
