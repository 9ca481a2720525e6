// Tensors in the memory of a GPU: how they get there, what the host may do with them.
#include "autograd/core/error.h"
#include "autograd/tape/packing.h"
#include "autograd/tape/save_on.h"
#include "tests/autograd/tape/device_helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;
using Values = std::vector<double>;

TEMPLATE_TEST_CASE("tensors are made on a GPU, copied there and read back", "[autograd][tape][gpu]",
                   Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  const Tensor x = from_values({1, 2, 3, 4, 5, 6}, {2, 3}), there = x.to(gpu0);

  CHECK(there.device() == gpu0);
  CHECK(there.values() == x.values());
  CHECK(transpose(there).values() == transpose(x).values());
  CHECK(there.to(Device::cpu).data<double>()[4] == 5);
  CHECK(there.to(gpu0).storage_id() == there.storage_id());
  CHECK(select(select(there, 0, 1), 0, 2).item() == 6);
  CHECK(full({3}, 2.5, DType::float32, gpu0).values() == Values{2.5, 2.5, 2.5});
  CHECK(from_values({1, 0}, {2}, DType::int32, gpu0).values() == Values{1, 0});
  CHECK(zeros_like(there).device() == gpu0);
  CHECK(zeros({0, 3}, DType::float64, gpu0).values().empty());
  CHECK(describe(there) == "float64 [2, 3] on cuda:0");
}

TEMPLATE_TEST_CASE("a copy to another device is recorded", "[autograd][tape][gpu]", Simulated,
                   Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  const Tensor x = variable({4}, 1), weight = normal({4}, 2).to(gpu0);
  const Tensor y = sum(square(x.to(gpu0)) * weight);
  const Tensor g = grad(y, x);

  CHECK(g.device() == Device::cpu);
  CHECK(distance(g, 2 * x * weight.to(Device::cpu)) < 1e-15);
}

TEMPLATE_TEST_CASE(
    "plain numbers go wherever they are needed, also when they are differentiated by",
    "[autograd][tape][gpu]", Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  const Tensor x = normal({4}, 1).to(gpu0);
  Tensor c(3.0);
  c.set_requires_grad();

  CHECK((2.0 * x).device() == gpu0);
  CHECK(where(less(x, 0.0), 0.0, x).device() == gpu0);
  const Tensor g = grad(sum(x * exp(c)), c);
  CHECK(g.device() == Device::cpu);
  CHECK(g.item() == Approx(std::exp(3.0) * sum(x).item()));
}

TEST_CASE("an op on tensors of two devices names them and the remedy", "[autograd][tape][errors]") {
  const Simulated machine({.devices = 2});
  const Tensor here = normal({4}, 1), there = here.to(gpu0), other = here.to(Device{1});
  const auto says = [](const char* op) {
    return Contains(std::string(op) + ": one tensor is on cuda:0, another on cpu");
  };
  CHECK_THROWS_WITH(there - here, Contains("x.to(y.device()) copies a tensor"));
  CHECK_THROWS_WITH(there + here, says("add"));
  CHECK_THROWS_WITH(there * other, Contains("mul: one tensor is on cuda:0, another on cuda:1"));
  CHECK_THROWS_WITH(where(there, there, here), says("where"));
  CHECK_THROWS_WITH(concat({there, here}, 0), says("concat"));
  CHECK_THROWS_WITH(matmul(reshape(there, {2, 2}), reshape(here, {2, 2})), says("matmul"));
  Tensor t = there.clone();
  CHECK_THROWS_WITH(copy_in_place(t, here), says("copy_in_place"));
  CHECK_THROWS_WITH(add_in_place(t, here), says("add_in_place"));
  CHECK_THROWS_WITH(t.set_grad(here), says("set_grad"));
  const Tensor y = there.clone().set_requires_grad() * 2.0;
  CHECK_THROWS_WITH(grad({y}, {y}, {here}), Contains("the seed of a gradient: one tensor is on"));
  CHECK(other.to(gpu0).values() == here.values());
}

TEST_CASE("the memory of a GPU is not handed out to the host", "[autograd][tape][errors]") {
  const Simulated machine;
  CHECK_THROWS_WITH(ones({2}, DType::float64, gpu0).data<double>(),
                    Contains("it is not the host's") && Contains("to(Device::cpu)"));
}

TEST_CASE("a gradient on another device than its input is refused", "[autograd][tape][errors]") {
  const Simulated machine;
  const Tensor x = ones({2}, DType::float64, gpu0).set_requires_grad();
  const Tensor y = custom(
      x, "lost", [](TestNode&, const Gradients& g) { return Gradients{g[0].to(Device::cpu)}; });
  CHECK_THROWS_WITH(grad({y}, {x}, {ones_like(y)}),
                    Contains("it is on cpu, and the input on cuda:0"));
}

TEST_CASE("a device that is not there, or has no room, is an error", "[autograd][tape][errors]") {
  const Simulated machine({.memory = std::size_t(1) << 20});
  CHECK_THROWS_AS(ones({2}).to(Device{3}), DeviceError);
  CHECK_THROWS_AS(zeros({1 << 18}, DType::float64, gpu0), DeviceError);
  CHECK(ones({2}, DType::float64, gpu0).values() == Values{1, 1});
}

TEMPLATE_TEST_CASE("memory on a GPU is counted, and free when its tensors are gone",
                   "[autograd][tape][gpu]", Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  const std::int64_t before = memory_use(gpu0).live;
  {
    const Tensor x = zeros({1000}, DType::float64, gpu0), y = x + 1.0;
    CHECK(memory_use(gpu0).live >= before + 2 * 8000);
    CHECK(y.values()[999] == 1);
  }
  CHECK(memory_use(gpu0).live == before);
}

TEMPLATE_TEST_CASE("saved tensors of a GPU are rounded as those of the CPU, to the same codes",
                   "[autograd][tape][gpu]", Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  const Tensor x = 3.0 * normal({40, 5}, 1);
  for (const FloatFormat& format : float_formats)
    for (const DType dtype : {DType::float64, DType::float32}) {
      const Tensor here = transpose(cast(x, dtype)), there = transpose(cast(x, dtype).to(gpu0));
      const RoundedTensor r = rounded(there, format);
      CHECK(restored(r).device() == gpu0);
      CHECK(restored(r).values() == restored(rounded(here, format)).values());
    }
}

TEST_CASE("neither rounding nor jets make the host wait, and tables of jets travel once",
          "[autograd][tape]") {
  const Simulated machine;
  const auto work = [](const Tensor& x) {
    const JetTablePtr table = jet_table({MultiIndex{2, 0}});
    const Tensor y = jet_mul(table, jet(unary_id<op::Tanh>, 0, 0, table, x), x);
    return restored(rounded(y, fp8_e4m3));
  };
  const Tensor x = normal({5, 3, 4}, 1).to(gpu0);
  const Tensor first = work(x);
  const int waits = machine.driver->calls("synchronize"), copies = machine.driver->calls("copy");
  const Tensor second = work(x);
  CHECK(machine.driver->calls("synchronize") == waits);
  CHECK(machine.driver->calls("copy") == copies);
  CHECK(machine.driver->waiting() > 0);
  CHECK(second.values() == first.values());
}

TEMPLATE_TEST_CASE("checkpoints that compute again work on a GPU", "[autograd][tape][gpu]",
                   Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  const Tensor x = moved({normal({30}, 1)}, gpu0)[0];
  const auto f = [](const std::vector<Tensor>& t) { return std::vector<Tensor>{sin(exp(t[0]))}; };
  const Tensor plain = grad(sum(f({x})[0]), x);

  CHECK(grad(sum(checkpoint(f, {x})[0]), x).values() == plain.values());
}

TEST_CASE("a disk refuses the saved tensors of a GPU", "[autograd][tape][errors]") {
  const Simulated machine;
  const Tensor h = sin(ones({100}, DType::float64, gpu0).set_requires_grad());
  const SaveOnDisk scope(std::string(PINN_BINARY_DIR) + "/test-offload", {.threshold = 0});
  CHECK_THROWS_WITH(square(h), Contains("saved tensors of cuda:0 cannot wait on a disk"));
}
