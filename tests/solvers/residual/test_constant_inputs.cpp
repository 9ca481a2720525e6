#include "solvers/residual/constant_inputs.h"

#include "autograd/core/stats.h"
#include "autograd/cuda/gpu.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/rewritten.h"
#include "solvers/residual/step/step_cache.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/catch.h"
#include "tests/solvers/residual/both_ways.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// An equation for u that may use nu, twice = 2*nu and kept.
std::shared_ptr<const Problem> equation_for(const std::string& equation) {
  auto p = problem({"x", "y", "t"}, {"u"}, {"u = 0"});
  const auto constant = [](const char* name, const char* value) {
    return Definition{{name, {}, false}, text(value)};
  };
  declare_constants({constant("nu", "0.3"), constant("twice", "2*nu"), constant("kept", "0.7")},
                    *p);
  p->requirements[0].residuals[0].text = text(equation);
  return std::make_shared<const Problem>(with_constants(*p, {}));
}

std::shared_ptr<const Problem> with_nu(const Problem& p, double nu) {
  return std::make_shared<const Problem>(with_constants(p, {{"nu", nu}}));
}

/// The same problem with its constants as plain numbers.
std::shared_ptr<const Problem> with_plain_nu(const Problem& p, double nu) {
  Problem other = with_constants(p, {{"nu", nu}});
  for (Constant& c : other.constants) c.varies = false;
  return std::make_shared<const Problem>(other);
}

LossCase case_of(std::shared_ptr<const Model> model, Derivatives way, DType dtype) {
  LossCase c{std::move(model), {}, {dtype, {way}}};
  c.points.push_back(spread(c.model->problem(), 50));
  c.options.cache = std::make_shared<StepCache>();
  return c;
}

const NetworkOptions small = layers({7, 6});

}  // namespace

TEST_CASE("a step that was compiled for other constants gives the loss and gradient of these",
          "[residual][compiled]") {
  const std::string equation = GENERATE(
      "u_t + u*u_x = nu*laplacian(u)", "u_t - laplacian(u)/nu = kept*x", "u_tt = nu^2*u_xx + twice",
      "-(u_t - nu*twice*(u_xx + u_yy)) = sin(nu*x)*kept", "d((1 + nu*u^2)*u_x, x) = nu + x/nu",
      "laplacian(u*(twice - 1)) + exp(-nu)*u = where(x > nu, nu, u)", "laplacian(u) = kept");
  const Derivatives way = GENERATE(Derivatives::taylor, Derivatives::reverse);
  const DType dtype = GENERATE(DType::float64, DType::float32);
  INFO(equation << ", " << name_of(way));
  const auto p = equation_for(equation);
  const auto model = std::make_shared<Model>(with_nu(*p, 0.2), small);
  const LossCase varying = case_of(model, way, dtype);
  const std::vector<double> parameters = model->initial_parameters(5);
  varying.at(parameters, true);
  const std::int64_t compiles = stats().compiles;
  for (const double nu : {0.05, 1.0, 0.0, 3.0}) {
    INFO("nu " << nu);
    if (nu == 0 && equation.find("/nu") != std::string::npos) continue;
    REQUIRE(model->take(with_nu(*p, nu)));
    const Result found = varying.at(parameters, true);
    CHECK(stats().compiles == compiles);
    const LossCase plain =
        case_of(std::make_shared<const Model>(with_plain_nu(*p, nu), small), way, DType::float64);
    CHECK(distance_of(plain, parameters, found, plain.at(parameters, false)) <=
          (dtype == DType::float64 ? 1e-12 : 2e-5));
    CHECK(distance_both_ways(varying, parameters) <= (dtype == DType::float64 ? 1e-12 : 2e-5));
  }
}

TEST_CASE("a model takes no problem that asks for more than other constants", "[residual]") {
  const auto p = equation_for("u_t = nu*u_xx");
  Model model(with_nu(*p, 0.2), small);
  CHECK(model.take(with_nu(*p, 0.3)));
  CHECK_FALSE(model.take(with_nu(*equation_for("u_t = nu*u_xxx"), 0.3)));
  CHECK_FALSE(model.take(with_nu(*equation_for("u_t = kept*u_xx"), 0.3)));
  CHECK_FALSE(model.take(with_nu(*equation_for("u_t = nu*u_xx + 1"), 0.3)));
  CHECK(evaluate(*model.problem().requirements[0].residuals[0].expression,
                 {.field = [](int, const MultiIndex& a) { return a[0] == 2 ? -1.0 : 0.0; }}) ==
        Approx(0.3));

  Model power(with_nu(*equation_for("u_t = u_xx + abs(x)^nu"), 2), small);
  CHECK(power.take(with_nu(*equation_for("u_t = u_xx + abs(x)^nu"), 2)));
  CHECK_FALSE(power.take(with_nu(*equation_for("u_t = u_xx + abs(x)^nu"), 3)));

  Model whole(with_nu(*equation_for("integral(nu*u^2) = 1"), 2), small);
  CHECK(whole.take(with_nu(*equation_for("integral(nu*u^2) = 1"), 2)));
  CHECK_FALSE(whole.take(with_nu(*equation_for("integral(nu*u^2) = 1"), 3)));
}

TEST_CASE("a constant that varies leaves the channels of a Laplacian together", "[residual]") {
  const auto channels = [](const char* equation) {
    const auto p = with_nu(*equation_for(equation), 0.2);
    return plan_channels(p->requirements[0], *p).table->size();
  };
  CHECK(channels("u*u_x + u*u_y = nu*laplacian(u)") == 4);
  CHECK(channels("u*u_x + u*u_y = laplacian(u)/twice") == 4);
  CHECK(channels("u*u_x + u*u_y = kept*laplacian(u)") == 4);
}

TEST_CASE("kernels of a GPU that were built for other constants run with these",
          "[residual][cuda]") {
  const auto driver = std::make_shared<SimulatedDriver>(SimulatedDriver::Options{});
  const cuda::DriverForNow now(driver);
  const auto p = equation_for("u_t + u*u_x = nu*laplacian(u) + sin(twice*x)");
  const auto model = std::make_shared<Model>(with_nu(*p, 0.2), small);
  const LossCase here = case_of(model, Derivatives::taylor, DType::float64);
  LossCase gpu = here;
  gpu.options.device = Device{0};
  const std::vector<double> parameters = model->initial_parameters(5);
  gpu.at(parameters, true);
  const std::int64_t compiles = stats().compiles;
  REQUIRE(model->take(with_nu(*p, 0.7)));

  const Result there = gpu.at(parameters, true);
  CHECK(distance_of(here, parameters, there, here.at(parameters, true)) <= 1e-12);
  ThreadPool pool(1);
  Loss loss(model, gpu.options, pool);
  loss.set_points(0, gpu.points[0]);
  std::vector<double> moved = parameters, none(parameters.size());
  REQUIRE(loss.descent() != nullptr);
  loss.descent()->put(moved, {none}, {});
  const DescentMove unit{.rule = DescentMove::sgd, .rate = 1};
  loss.descent()->run({&unit, 1}, {}, moved);
  for (std::size_t i = 0; i < moved.size(); ++i)
    CHECK(moved[i] == parameters[i] - there.gradient[i]);
  CHECK(stats().compiles == compiles);
}
