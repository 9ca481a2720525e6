// A loss on a GPU is what it is on the CPU. The GPU is a simulated one, whose kernels are the
// generated text compiled for the host.
#include "autograd/core/error.h"
#include "autograd/cuda/driver/library.h"
#include "autograd/cuda/gpu.h"
#include "autograd/cuda/text/step_text.h"
#include "solvers/residual/step/formulas.h"
#include "tests/autograd/cuda/driver/real_gpu.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/solvers/residual/random_problem.h"
#include "tests/solvers/residual/rounding.h"
#include "tests/solvers/residual/rounding_case.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// A GPU on which tiles fit, or one on which no tile does, only what other kernels need: then
/// blocks are wide.
std::shared_ptr<SimulatedDriver> simulated(bool tiles) {
  SimulatedDriver::Options options;
  options.shared_memory = tiles ? 227 * 1024 : 4096;
  options.order = SimulatedDriver::Order::needed_only;
  return std::make_shared<SimulatedDriver>(options);
}

LossCase on_gpu(LossCase c, std::size_t block) {
  c.options.device = Device{0};
  c.options.block = block;
  return c;
}

/// A problem on the GPU against the compiled step on the CPU.
void check_problem(RandomProblem& r, std::size_t block) {
  const LossCase gpu = on_gpu(r.loss, block);
  const Result there = gpu.at(r.parameters, true), here = r.loss.at(r.parameters, true);
  const double bound = r.loss.options.dtype == DType::float64 ? 1e-12 : 2e-5;
  CHECK(distance_of(r.loss, r.parameters, there, here) <= bound);
  const Result again = gpu.at(r.parameters, true);
  CHECK(again.loss.total == there.loss.total);
  CHECK(again.gradient == there.gradient);
}

/// On a simulated GPU, one way.
void check_simulated(RandomProblem& r, bool tiles, std::size_t block) {
  const auto driver = simulated(tiles);
  const cuda::DriverForNow now(driver);
  check_problem(r, block);
  CHECK(driver->calls("build") > 0);
}

double largest(std::span<const double> x) {
  double most = 0;
  for (const double v : x) most = larger(most, std::fabs(v));
  return most;
}

double difference(std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = larger(most, std::fabs(a[i] - b[i]));
  return most;
}

/// A step that rounds what it saves, on a GPU and on the CPU with the same blocks of points.
void check_rounding(const Band& band, DType dtype, bool tiles) {
  INFO(band.kind << " " << name_of(dtype) << (tiles ? " in tiles" : " wide"));
  LossCase c = burgers_rounding(band.kind, 64, dtype);
  const int tile = cuda::tile_points(plan(traced(c).graph), 227 * 1024);
  REQUIRE(tile >= 16);
  c.options.block = tiles ? std::size_t(tile) : 32;
  const std::vector<double> p = c.model->initial_parameters(3);
  const Result there = on_gpu(c, c.options.block).at(p, true), here = c.at(p, true);
  // In float32 a number on the edge between two codes may be rounded the other way.
  const double allowed = dtype == DType::float64 ? 1e-12 : 2e-3 * band.width;
  CHECK(relative_error(there.gradient, here.gradient) <= allowed);
  CHECK(there.loss.total == Approx(here.loss.total).epsilon(allowed));
}

}  // namespace

TEST_CASE("random problems have the loss and gradient on a GPU that they have on the CPU",
          "[residual][cuda]") {
  for (std::uint64_t number = 0; number < 6; ++number) {
    RandomProblem r = random_problem(number);
    r.loss.options.dtype = number % 4 == 3 ? DType::float32 : DType::float64;
    INFO("problem " << number << "\n" << r.text);
    check_simulated(r, number % 2 == 0, number % 3 == 0 ? 32 : 0);
  }
}

TEST_CASE("many more random problems have the loss and gradient on a GPU that they have on the CPU",
          "[residual][cuda][slow]") {
  for (std::uint64_t number = 6; number < 200; ++number) {
    RandomProblem r = random_problem(number);
    r.loss.options.dtype = number % 4 == 3 ? DType::float32 : DType::float64;
    INFO("problem " << number << "\n" << r.text);
    for (const bool tiles : {false, true}) check_simulated(r, tiles, number % 3 == 0 ? 32 : 0);
  }
}

TEST_CASE("a descent on a GPU moves by the gradient that the loss has there", "[residual][cuda]") {
  for (std::uint64_t number = 0; number < 6; ++number) {
    const cuda::DriverForNow now(simulated(number % 2 == 0));
    RandomProblem r = random_problem(number);
    INFO("problem " << number << "\n" << r.text);
    const LossCase c = on_gpu(r.loss, 0);
    const Result asked = c.at(r.parameters, true);
    ThreadPool pool(1);
    Loss loss(c.model, c.options, pool);
    for (std::size_t k = 0; k < c.points.size(); ++k) loss.set_points(k, c.points[k]);

    std::vector<double> p = r.parameters, b(p.size());
    const DescentMove unit{.rule = DescentMove::sgd, .rate = 1};  // p - gradient
    REQUIRE(loss.descent() != nullptr);
    loss.descent()->put(p, {b}, {});
    const Descent::Last last = loss.descent()->run({&unit, 1}, {}, p);

    CHECK(last.moves == 1);
    CHECK(last.loss == asked.loss.total);
    CHECK(last.terms == asked.loss.terms);
    CHECK(last.largest == largest(asked.gradient));
    for (std::size_t i = 0; i < p.size(); ++i) CHECK(p[i] == r.parameters[i] - asked.gradient[i]);
  }
}

TEST_CASE("a loss asked for its gradient between the moves of a descent does not disturb them",
          "[residual][cuda]") {
  const cuda::DriverForNow now(simulated(true));
  const RandomProblem r = random_problem(2);
  const LossCase c = on_gpu(r.loss, 0);
  const auto moved = [&](bool asks) {
    ThreadPool pool(1);
    Loss loss(c.model, c.options, pool);
    for (std::size_t k = 0; k < c.points.size(); ++k) loss.set_points(k, c.points[k]);
    std::vector<double> p = r.parameters, gradient(p.size());
    const std::vector<double> elsewhere(p.size(), 0.5);
    const std::vector<DescentMove> moves(3, {.rule = DescentMove::sgd, .rate = 1e-6});
    loss.descent()->put(p, {{}}, {});
    for (int k = 0; k < 3; ++k) {
      if (asks) loss.value_and_gradient(elsewhere, gradient);
      loss.descent()->run(moves, {}, p);
    }
    return p;
  };
  CHECK(moved(true) == moved(false));
}

TEST_CASE("new points come to a GPU", "[residual][cuda]") {
  const cuda::DriverForNow now(simulated(true));
  RandomProblem r = random_problem(2);
  const LossCase gpu = on_gpu(r.loss, 0);
  ThreadPool pool(1);
  Loss there(gpu.model, gpu.options, pool), here(r.loss.model, r.loss.options, pool);
  for (const std::size_t fewer : {0, 1}) {
    for (std::size_t k = 0; k < r.loss.points.size(); ++k) {
      const PointSet set = fewer ? point(r.loss.points[k], 0) : r.loss.points[k];
      there.set_points(k, set);
      here.set_points(k, set);
    }
    CHECK(there.value(r.parameters).total == Approx(here.value(r.parameters).total).epsilon(1e-12));
  }
}

TEST_CASE("formulas have the values on a GPU that they have on the CPU", "[residual][cuda]") {
  for (const std::uint64_t number : {1, 4}) {
    const cuda::DriverForNow now(simulated(number == 4));
    const RandomProblem r = random_problem(number);
    ThreadPool pool(2);
    const PointSet& points = r.loss.points[0];
    const auto there =
                   Formulas(r.loss.model, r.formulas, {}, Device{0})(r.parameters, points, pool),
               here = Formulas(r.loss.model, r.formulas)(r.parameters, points, pool);
    INFO("problem " << number << "\n" << r.text);
    for (std::size_t k = 0; k < here.size(); ++k)
      CHECK(difference(there[k], here[k]) <= 1e-11 * std::max(1.0, largest(here[k])));
  }
}

TEST_CASE("a GPU gives the residuals of the CPU, and says that it gives no products yet",
          "[residual][cuda]") {
  const cuda::DriverForNow now(simulated(true));
  const RandomProblem r = random_problem(2);
  const auto loss_of = [&](const LossCase& c, ThreadPool& pool) {
    auto loss = std::make_unique<Loss>(c.model, c.options, pool);
    for (std::size_t k = 0; k < c.points.size(); ++k) loss->set_points(k, c.points[k]);
    return loss;
  };
  ThreadPool pool(2);
  const auto here = loss_of(r.loss, pool), there = loss_of(on_gpu(r.loss, 0), pool);
  std::vector<double> a(here->squares().rows()), b(here->squares().rows()), v(r.parameters.size());
  here->squares().residual(r.parameters, a);
  there->squares().residual(r.parameters, b);
  CHECK(difference(a, b) <= 1e-11 * std::max(1.0, largest(a)));
  CHECK_THROWS_WITH(there->squares().jacobian_times(r.parameters, v, b),
                    Catch::Contains("no products"));
  std::vector<double> k(b.size() * b.size());
  CHECK_THROWS_WITH(there->squares().gram(r.parameters, k), Catch::Contains("no products"));
}

TEST_CASE("a step rounds what it saves on a GPU as on the CPU in the same blocks",
          "[residual][cuda]") {
  for (const bool tiles : {true, false}) {
    const auto driver = simulated(tiles);
    const cuda::DriverForNow now(driver);
    check_rounding(bands[tiles ? 0 : 1], DType::float32, tiles);
    check_rounding(bands[tiles ? 2 : 3], DType::float64, tiles);
    CHECK(driver->calls("build") > 0);
  }
}

TEST_CASE("the kernels of steps that round compile", "[residual][cuda]") {
  if (skips(lack_of_compiler())) return;
  for (const bool tiles : {true, false}) {
    const LossCase c =
        burgers_rounding(bands[tiles ? 0 : 2].kind, 64, tiles ? DType::float32 : DType::float64);
    const cuda::StepText text = cuda::step_text(plan(traced(c).graph), 227 * 1024,
                                                tiles ? cuda::Path::tile : cuda::Path::wide);
    INFO(text.kernels);
    CHECK(cuda::compile(text.text, 90).size() > 0);
  }
}

TEST_CASE("random problems have the loss and gradient on a real GPU that they have on the CPU",
          "[residual][gpu]") {
  if (skips(lack_of_gpu())) return;
  for (std::uint64_t number = 0; number < 40; ++number) {
    RandomProblem r = random_problem(number);
    r.loss.options.dtype = number % 4 == 3 ? DType::float32 : DType::float64;
    INFO("problem " << number << "\n" << r.text);
    check_problem(r, number % 3 == 0 ? 32 : 0);
  }
}

TEST_CASE("a step rounds what it saves on a real GPU as on the CPU in the same blocks",
          "[residual][gpu]") {
  if (skips(lack_of_gpu())) return;
  for (const Band& band : bands)
    for (const DType dtype : {DType::float64, DType::float32}) check_rounding(band, dtype, true);
}
