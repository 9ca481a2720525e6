#include "bench/hessian_net.h"

#include <algorithm>
#include <cmath>

#include "autograd/tape/save_on.h"
#include "autograd/taylor/jet.h"

namespace pinn::bench {
namespace {

constexpr std::int64_t inputs = 2, outputs = 3, hidden = 6;

/// Square products since the log was last empty, in units of one.
double square_products(const HessianNet& net) {
  double units = 0;
  const std::int64_t b = net.points(), w = net.width();
  for (const ProductSize& p : stats().product_log) {
    std::array<std::int64_t, 3> sizes{p.m, p.n, p.k};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t others[] = {sizes[(i + 1) % 3], sizes[(i + 2) % 3]};
      if (others[0] != w || others[1] != w || sizes[i] % b != 0) continue;
      units += double(sizes[i]) / double(b);
      break;
    }
  }
  return units;
}

/// Layer after layer: on a jet, or on a tensor [points, 1, features].
Jet layers(const HessianNet& net, Jet h) {
  for (std::size_t l = 0; l < net.w.size(); ++l) {
    h.data = linear(h.data, net.w[l], net.b[l]);
    if (l + 1 < net.w.size()) h = apply_unary(net.activation, h);
  }
  return h;
}
Tensor layers(const HessianNet& net, Tensor h, std::size_t first, std::size_t last) {
  for (std::size_t l = first; l < last; ++l) {
    h = linear(h, net.w[l], net.b[l]);
    if (l + 1 < net.w.size()) h = apply_unary(net.activation, h);
  }
  return h;
}
Tensor layers(const HessianNet& net, Tensor h) {
  const std::size_t all = net.w.size();
  if (net.segment == 0) return layers(net, h, 0, all);
  for (std::size_t first = 0, last; first < all; first = last) {
    last = std::min(all, first + std::size_t(net.segment));
    h = checkpoint([&net, first, last](
                       const std::vector<Tensor>& in) { return layers(net, in[0], first, last); },
                   {h});
  }
  return h;
}

/// d y[:, i] / d x, one row per point, recorded.
Tensor column_gradient(const Tensor& y, std::int64_t i, const Tensor& x) {
  return grad({select(y, 1, i)}, {x}, {ones({y.shape()[0]}, y.dtype(), y.device())},
              {.create_graph = true, .materialize = true})[0];
}

}  // namespace

HessianNet::HessianNet(const std::string& name, std::int64_t points, std::int64_t width, DType as,
                       Device device)
    : activation(find_unary(name)), dtype(as) {
  const auto layer = [&](std::int64_t in, std::int64_t out) {
    const double bound = 1 / std::sqrt(double(in));
    const std::string number = std::to_string(w.size());
    w.push_back(
        from_values(uniforms(std::size_t(in * out), "W" + number, -bound, bound), {in, out}, dtype)
            .to(device));
    b.push_back(from_values(uniforms(std::size_t(out), "b" + number, -bound, bound), {out}, dtype)
                    .to(device));
  };
  layer(inputs, width);
  for (std::int64_t l = 1; l < hidden; ++l) layer(width, width);
  layer(width, outputs);
  for (Tensor t : parameters()) t.set_requires_grad();
  x = normal({points, inputs}, "x", dtype).to(device);
}

std::vector<Tensor> HessianNet::parameters() const {
  std::vector<Tensor> all;
  for (std::size_t l = 0; l < w.size(); ++l) all.insert(all.end(), {w[l], b[l]});
  return all;
}

std::vector<double> HessianNet::parameter_values() const {
  std::vector<double> all;
  for (const Tensor& t : parameters()) {
    const std::vector<double> v = t.values();
    all.insert(all.end(), v.begin(), v.end());
  }
  return all;
}

void HessianNet::clear_gradients() const {
  for (Tensor t : parameters()) t.set_grad({});
}

std::vector<double> HessianNet::gradient() const {
  std::vector<double> all;
  for (const Tensor& t : parameters()) {
    const std::vector<double> v = (t.grad().defined() ? t.grad() : zeros(t.shape())).values();
    all.insert(all.end(), v.begin(), v.end());
  }
  return all;
}

HessianResult reverse_hessian(const HessianNet& net, bool with_backward,
                              const std::function<void()>& before_backward) {
  HessianResult result;
  const Tensor x = net.x.clone().set_requires_grad();
  const Tensor u = select(layers(net, reshape(x, {net.points(), 1, inputs})), 1, 0);
  result.counts.forward = square_products(net);

  std::vector<Tensor> jacobian, rows;
  for (std::int64_t i = 0; i < outputs; ++i) jacobian.push_back(column_gradient(u, i, x));
  result.counts.jacobian = square_products(net);
  for (const Tensor& row : jacobian)
    for (std::int64_t j = 0; j < inputs; ++j) rows.push_back(column_gradient(row, j, x));
  result.jacobian = stack(jacobian, 0);
  result.hessian = stack(rows, 0);
  result.counts.hessian = square_products(net);
  result.products = stats().product_log.size();

  if (with_backward && before_backward) before_backward();
  if (with_backward) backward(sum(result.hessian));
  result.counts.backward = square_products(net);
  return result;
}

HessianResult taylor_hessian(const HessianNet& net, bool with_backward) {
  HessianResult result;
  const JetTablePtr table = jet_table({{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}});
  const Jet u = layers(net, coordinate_jet(table, net.x));
  result.counts.forward = result.counts.jacobian = result.counts.hessian = square_products(net);
  result.products = stats().product_log.size();

  std::vector<Tensor> jacobian, rows;
  const auto channel = [&](MultiIndex a) { return u.channel(table->find(a)); };
  for (std::int64_t i = 0; i < outputs; ++i) {
    const auto of = [&](MultiIndex a) { return select(channel(a), 1, i); };
    const Tensor mixed = of({1, 1});
    jacobian.push_back(stack({of({1, 0}), of({0, 1})}, 1));
    rows.push_back(stack({of({2, 0}), mixed}, 1));
    rows.push_back(stack({mixed, of({0, 2})}, 1));
  }
  result.jacobian = stack(jacobian, 0);
  result.hessian = stack(rows, 0);
  if (with_backward) backward(sum(result.hessian));
  result.counts.backward = square_products(net);
  return result;
}

}  // namespace pinn::bench
