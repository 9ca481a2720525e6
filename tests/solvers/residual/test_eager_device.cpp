// A step op by op on a GPU is the step on the CPU.
#include "autograd/cuda/gpu.h"
#include "tests/autograd/cuda/driver/real_gpu.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/solvers/residual/random_problem.h"

using namespace pinn;
using namespace pinn::test;

namespace {

struct Simulated {
  std::string lack() const { return ""; }
  cuda::DriverForNow now{std::make_shared<SimulatedDriver>(
      SimulatedDriver::Options{.order = SimulatedDriver::Order::needed_only})};
};
struct Real {
  std::string lack() const { return lack_of_gpu(); }
};

Result on(Device device, LossCase c, std::span<const double> p, int threads = 1) {
  c.options.device = device;
  return c.at(p, false, threads);
}

constexpr Device gpu0{0};

/// A network deep enough that its saved tensors are many.
LossCase burgers(Derivatives way) {
  const auto p = problem({"x", "t"}, {"u"}, {"u_t + u*u_x = 0.1*u_xx"});
  LossCase c{std::make_shared<const Model>(p, layers({16, 16, 16, 16})), {spread(*p, 100)}, {}};
  c.options.derivatives = {way};
  return c;
}

}  // namespace

TEMPLATE_TEST_CASE("random problems have the same loss and gradient on a GPU, both ways and dtypes",
                   "[residual][gpu]", Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  for (std::uint64_t number = 1; number <= 12; ++number) {
    RandomProblem random = random_problem(number);
    INFO("problem " << number << "\n" << random.text);
    LossCase& c = random.loss;
    c.options.block = 48;
    const Result here = on(Device::cpu, c, random.parameters);
    CHECK(distance_of(c, random.parameters, on(gpu0, c, random.parameters), here) < 1e-11);
  }
  for (const Derivatives way : {Derivatives::taylor, Derivatives::reverse})
    for (const DType dtype : {DType::float64, DType::float32}) {
      LossCase c = burgers(way);
      c.options.dtype = dtype;
      const std::vector<double> p = c.model->initial_parameters(3);
      // In float32 a step of some dozen layers of ops loses two digits or three.
      const double band = dtype == DType::float64 ? 1e-12 : 1e-4;
      CHECK(distance_of(c, p, on(gpu0, c, p), on(Device::cpu, c, p)) < band);
    }
}

TEMPLATE_TEST_CASE("a step on a GPU has the same bits again, for any number of threads",
                   "[residual][gpu]", Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  LossCase c = burgers(Derivatives::taylor);
  c.options.block = 32;
  const std::vector<double> p = c.model->initial_parameters(3);
  const Result once = on(gpu0, c, p), again = on(gpu0, c, p, 3);
  CHECK(again.loss.total == once.loss.total);
  CHECK(again.gradient == once.gradient);
}

TEMPLATE_TEST_CASE("saved tensors that wait in the host's memory change no bit of a step",
                   "[residual][gpu]", Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  for (const Derivatives way : {Derivatives::taylor, Derivatives::reverse}) {
    LossCase c = burgers(way);
    const std::vector<double> p = c.model->initial_parameters(3);
    const Result kept = on(gpu0, c, p);
    c.options.saved = {.kind = "cpu", .threshold = 0};
    const Result moved = on(gpu0, c, p);
    CHECK(moved.loss.total == kept.loss.total);
    CHECK(moved.gradient == kept.gradient);
  }
}

TEMPLATE_TEST_CASE("products with the Jacobian and the Hessian are on a GPU those of the CPU",
                   "[residual][gpu]", Simulated, Real) {
  const TestType machine;
  if (skips(machine.lack())) return;
  const LossCase c = burgers(Derivatives::taylor);
  const std::vector<double> p = c.model->initial_parameters(3);
  const auto products = [&](Device device) {
    ThreadPool pool(1);
    LossOptions options = c.options;
    options.compiled = false;
    options.device = device;
    Loss loss(c.model, options, pool);
    loss.set_points(0, c.points[0]);
    std::vector<double> r(loss.squares().rows()), jv(loss.squares().rows()), jw(p.size()),
        hv(p.size());
    std::vector<double> rows(3 * p.size());
    loss.squares().residual(p, r);
    loss.squares().jacobian_times(p, p, jv);
    loss.squares().transposed_times(p, r, jw);
    loss.squares().hessian_times(p, p, hv);
    loss.squares().jacobian_rows(p, 5, 3, rows);
    std::vector<double> all;
    for (const std::vector<double>& part : {r, jv, jw, hv, rows})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  };
  const std::vector<double> here = products(Device::cpu), there = products(gpu0);
  REQUIRE(there.size() == here.size());
  for (std::size_t i = 0; i < here.size(); ++i)
    CHECK(there[i] == Approx(here[i]).epsilon(1e-10).margin(1e-12));
}

TEST_CASE("saved tensors of a GPU are not for a disk", "[residual][errors]") {
  const Simulated machine;
  LossCase c = burgers(Derivatives::taylor);
  c.options.saved.kind = "disk";
  const std::vector<double> p = c.model->initial_parameters(3);
  CHECK_THROWS_AS(on(gpu0, c, p), ConfigError);
}
