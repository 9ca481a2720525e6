// Ops on a GPU: the numbers of the CPU, the laws of derivatives, the same bits on every run.
#include "autograd/check/gradcheck.h"
#include "autograd/tape/batch.h"
#include "autograd/tape/forward_mode.h"
#include "tests/autograd/tape/device_helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// Functions of the C library differ by a few units in the last place between the vectors of the
/// CPU, one number at a time, and a GPU; sums and products add such errors of a few dozen terms.
double band(DType dtype) { return dtype == DType::float64 ? 1e-13 : 5e-5; }

void must_agree(const std::vector<Tensor>& here, const std::vector<Tensor>& there,
                const std::string& name) {
  REQUIRE(here.size() == there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    INFO(name << ", result " << i);
    REQUIRE(here[i].defined() == there[i].defined());
    if (!here[i].defined()) continue;
    CHECK(there[i].device() == gpu0);
    CHECK(there[i].shape() == here[i].shape());
    CHECK(distance(there[i], here[i]) <= band(here[i].dtype()) * (1 + largest(here[i])));
  }
}

Case in(DType dtype, const Case& c) {
  Case converted = c;
  for (Tensor& t : converted.inputs) t = cast(t, dtype);
  return converted;
}

}  // namespace

TEMPLATE_TEST_CASE("every op has on a GPU the values and gradients that it has on the CPU",
                   "[autograd][tape][gpu]", Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  for (const DType dtype : {DType::float64, DType::float32})
    for (const Case& c : device_cases()) {
      const Case converted = in(dtype, c);
      must_agree(value_and_gradients(converted, Device::cpu), value_and_gradients(converted, gpu0),
                 c.name + ", " + name_of(dtype));
    }
}

TEMPLATE_TEST_CASE("GCK-01 every op passes gradcheck and gradgradcheck on a GPU",
                   "[autograd][tape][gpu]", Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  for (const Case& c : device_cases()) {
    if (c.name == "cast" || c.name.starts_with("less") || c.name.starts_with("greater")) continue;
    INFO(c.name);
    CHECK(gradcheck(c.f, moved(c.inputs, gpu0)) == "");
    CHECK(gradgradcheck(c.f, moved(c.inputs, gpu0), {.fast = true}) == "");
  }
}

TEMPLATE_TEST_CASE("sums of many numbers keep their digits on a GPU and have the same bits again",
                   "[autograd][tape][gpu]", Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  const Tensor x = uniform(0, 1, {3000, 7}, 1, DType::float32), there = x.to(gpu0);
  const double exact = sum(cast(x, DType::float64)).item();

  CHECK(std::fabs(sum(there).item() - exact) < 1e-7 * exact);
  CHECK(sum(there).item() == sum(there).item());
  CHECK(distance(sum(there, {0}), sum(x, {0})) < 1e-3);
  CHECK(distance(sum(transpose(there), {1}), sum(x, {0})) < 1e-3);
  CHECK(sum(zeros({0, 3}, DType::float64, gpu0), {0}).values() == std::vector<double>{0, 0, 0});
}

namespace {

Perceptron on(Device device, Perceptron net) {
  for (std::vector<Tensor>* all : {&net.w, &net.b})
    for (Tensor& t : *all) t = t.detach().to(device).clone().set_requires_grad();
  return net;
}

/// Gradients of a loss on the second derivatives of a network, by reverse mode in reverse mode.
std::vector<std::vector<double>> hessian_loss_gradients(Device device) {
  const Perceptron net = on(device, Perceptron(unary_id<op::Tanh>, {2, 12, 12, 1}));
  const Tensor x = moved({normal({20, 2}, 5)}, device)[0], y = net(x);
  const Tensor u_x = column_gradient(y, 0, x);
  Tensor loss = mean(square(y));
  for (int i = 0; i < 2; ++i) loss = loss + mean(square(column_gradient(u_x, i, x)));
  std::vector<std::vector<double>> numbers{{loss.item()}};
  for (const Tensor& g : grad({loss}, net.parameters(), {}, {.allow_unused = true}))
    if (g.defined()) numbers.push_back(g.values());
  return numbers;
}

}  // namespace

TEMPLATE_TEST_CASE("a network's Hessian and its gradient are on a GPU what they are on the CPU",
                   "[autograd][tape][gpu]", Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  const auto here = hessian_loss_gradients(Device::cpu), there = hessian_loss_gradients(gpu0);

  CHECK(there == hessian_loss_gradients(gpu0));
  REQUIRE(there.size() == here.size());
  for (std::size_t i = 0; i < here.size(); ++i)
    for (std::size_t k = 0; k < here[i].size(); ++k)
      CHECK(there[i][k] == Approx(here[i][k]).epsilon(1e-11).margin(1e-13));
}

TEMPLATE_TEST_CASE("tangents, batched seeds and gradients per sample work on a GPU",
                   "[autograd][tape][gpu]", Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  const Perceptron net(unary_id<op::Tanh>, {2, 6, 1});
  const auto results = [&](Device device) {
    const Perceptron here = on(device, net);
    const Tensor x = moved({normal({5, 2}, 5)}, device)[0];
    const TensorFunction f = [&](const std::vector<Tensor>& t) { return here(t[0]); };
    const Tensor seeds = normal({3, 5, 1}, 6).to(device);
    std::vector<Tensor> all{
        jvp(f, {x}, {normal({5, 2}, 7).to(device)}).tangent,
        grad({here(x)}, {x}, {seeds}, {.batched = true})[0],
        hvp([&](const Tensor& t) { return sum(square(here(t))); }, x, normal({5, 2}, 8).to(device))
            .product};
    for (const Tensor& rows : per_sample_gradients(select(here(x), 1, 0), here.parameters()))
      all.push_back(rows);
    return all;
  };
  must_agree(results(Device::cpu), results(gpu0), "network");
}

TEMPLATE_TEST_CASE("changes in place are recorded on a GPU as on the CPU", "[autograd][tape][gpu]",
                   Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  const Case c{"in place",
               [](const std::vector<Tensor>& t) {
                 Tensor y = t[0] * t[1];
                 mul_in_place(y, 2.0);
                 add_in_place(y, sin(t[0]));
                 Tensor part = zeros_like(y);
                 copy_in_place(part, y);
                 return part * y;
               },
               {normal({4, 3}, 1), normal({4, 3}, 2)}};
  must_agree(value_and_gradients(c, Device::cpu), value_and_gradients(c, gpu0), c.name);

  Tensor columns = zeros({3, 4}, DType::float64, gpu0), window = slice(columns, 1, 1, 3);
  add_in_place(window, ones({3, 2}, DType::float64, gpu0));
  CHECK(columns.values() == std::vector<double>{0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0});
}
