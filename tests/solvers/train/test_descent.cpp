// First-order optimizers that move parameters on a GPU, many times without waiting, go where they
// go on the CPU. The GPU is a simulated one, which runs nothing before somebody waits for it.
#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"
#include "autograd/cuda/gpu.h"
#include "solvers/points/point_sets.h"
#include "solvers/train/loss_objective.h"
#include "tests/autograd/cuda/driver/real_gpu.h"
#include "tests/catch.h"
#include "tests/solvers/train/descents.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;
using cuda::DriverForNow;
using Order = SimulatedDriver::Order;

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

/// Three requirements and an unknown.
Run problem_of(std::vector<int> widths, double weight = 1) {
  Run run = inverse_run({});
  run.networks = {layers(std::move(widths))};
  for (Requirement& r : run.problem.requirements)
    for (Residual& residual : r.residuals) residual.weight *= weight;
  return run;
}

/// An optimizer at work on one device.
struct Training {
  const Run run;
  std::shared_ptr<const Model> model;
  ThreadPool pool{1};
  Loss loss;
  LossObjective objective{loss};
  std::unique_ptr<Optimizer> optimizer;
  Tensor p;
  OptimizerMemory memory;
  Move last;
  std::vector<double> losses = {};

  Training(const OptimizerOptions& options, Device device, std::vector<int> widths = {6},
           DType dtype = DType::float64, double weight = 1)
      : run(problem_of(std::move(widths), weight)),
        model(std::make_shared<const Model>(std::make_shared<const Problem>(run.problem),
                                            run.networks)),
        loss(model, {.dtype = dtype, .derivatives = {}, .device = device}, pool),
        optimizer(make_optimizer(options, model->parameter_count())) {
    for (std::size_t r = 0; r < run.sampling.size(); ++r)
      loss.set_points(r, points_of(run, r, "points", 0));
    const std::vector<double> start = model->initial_parameters(3);
    p = from_values(start, {std::int64_t(start.size())});
  }

  /// Up to `steps` moves until one stops or begins below `enough`: so many at once, or for 0 by the
  /// host, which asks for each gradient.
  long move(long steps, long at_once, double enough = never) {
    long made = 0;
    while (made < steps) {
      const Moves moves = at_once > 0
                              ? optimizer->advance_many(p, memory, objective,
                                                        std::min(at_once, steps - made), enough)
                              : Moves{1, optimizer->advance(p, memory, objective)};
      made += moves.count;
      last = moves.last;
      losses.push_back(last.loss);
      if (!last.stopped.empty() || last.loss < enough) break;
    }
    if (at_once > 0) optimizer->settle(memory, objective);
    return made;
  }
};

void check_close(const Training& there, const Training& here, double bound) {
  CHECK(distance(there.p, here.p) <= bound);
  CHECK(there.last.loss == Approx(here.last.loss).epsilon(bound));
  CHECK(there.last.rate == here.last.rate);
  CHECK(there.last.stopped == here.last.stopped);
  CHECK(there.memory.moves == here.memory.moves);
  REQUIRE(there.memory.tensors.size() == here.memory.tensors.size());
  for (const auto& [name, tensor] : here.memory.tensors) {
    REQUIRE(there.memory.tensors.count(name) == 1);
    INFO(fmt::format("{}: {:.2g}", name, distance(there.memory.tensors.at(name), tensor)));
    CHECK(distance(there.memory.tensors.at(name), tensor) <= bound);
  }
}

void check_same(const Training& a, const Training& b) {
  CHECK(a.p.values() == b.p.values());
  CHECK(a.memory.moves == b.memory.moves);
  CHECK(a.last.loss == b.last.loss);
  CHECK(a.last.rate == b.last.rate);
  CHECK(a.last.stopped == b.last.stopped);
  REQUIRE(a.memory.tensors.size() == b.memory.tensors.size());
  for (const auto& [name, tensor] : a.memory.tensors)
    CHECK(b.memory.tensors.at(name).values() == tensor.values());
}

OptimizerOptions options_of(const std::string& kind, double rate) {
  OptimizerOptions options;
  options.kind = kind;
  options.rate = rate;
  options.steps = 60;
  return options;
}

/// Every optimizer with every option that acts on a move.
std::vector<OptimizerOptions> every_way() {
  std::vector<OptimizerOptions> ways = {options_of("adam", 1e-2), options_of("adamw", 1e-2),
                                        options_of("sgd", 1e-5)};
  ways[1].weight_decay = 0.1;
  ways[2].momentum = 0.9;
  ways[2].weight_decay = 0.1;
  for (const OptimizerOptions& plain : std::vector(ways)) {
    ways.push_back(plain);
    ways.back().clip = 1e-2;
  }
  for (const std::string& kind : schedule_kinds()) {
    ways.push_back(options_of("adam", 1e-2));
    ways.back().schedule = {kind, 5, 0.5, 7, 0.1};
  }
  return ways;
}

}  // namespace

TEST_CASE("a first-order optimizer moves parameters on a GPU as the host does with its gradients",
          "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  for (const OptimizerOptions& options : every_way()) {
    INFO(options.kind << ", clip " << options.clip << ", " << options.schedule.kind);
    Training there(options, gpu), host(options, gpu);
    CHECK(there.move(45, 10) == 45);
    CHECK(host.move(45, 0) == 45);
    check_close(there, host, 1e-12);
    CHECK(there.objective.latest().terms.size() == 3);
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(there.objective.latest().terms[k] ==
            Approx(host.objective.latest().terms[k]).epsilon(1e-12));
  }
}

TEST_CASE("a first-order optimizer moves parameters on a GPU to where it does on the CPU",
          "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  for (const OptimizerOptions& options : every_way()) {
    INFO(options.kind << ", clip " << options.clip << ", " << options.schedule.kind);
    Training there(options, gpu), here(options, Device::cpu);
    there.move(45, 10);
    here.move(45, 10);
    check_close(there, here, two_gradients);
  }
}

TEST_CASE("a gradient that two blocks of threads measure is clipped as the host does it",
          "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  OptimizerOptions options = options_of("adam", 1e-2);
  options.clip = 1e-2;
  Training there(options, gpu, {32, 32}), host(options, gpu, {32, 32});
  REQUIRE(there.p.numel() > 1024);
  there.move(3, 3);
  host.move(3, 0);
  check_close(there, host, 1e-12);
}

TEST_CASE("a gradient whose squares overflow is clipped as the host does it",
          "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  OptimizerOptions options = options_of("sgd", 1e-2);
  options.clip = 1e-2;
  Training there(options, gpu, {6}, DType::float64, 1e200);
  Training host(options, gpu, {6}, DType::float64, 1e200);
  const std::vector<double> start = there.p.values();
  there.move(3, 3);
  host.move(3, 0);
  CHECK(there.p.values() != start);
  check_close(there, host, 1e-12);
}

TEST_CASE("a float32 step's moves on a GPU are those of the CPU but for its rounding",
          "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  const OptimizerOptions options = options_of("sgd", 1e-5);
  Training there(options, gpu, {6}, DType::float32),
      here(options, Device::cpu, {6}, DType::float32);
  there.move(45, 10);
  here.move(45, 10);
  check_close(there, here, 2e-5);
}

TEST_CASE("moves made at once have the bits of moves made one by one", "[train][cuda][descent]") {
  const Order order = GENERATE(Order::at_once, Order::needed_only, Order::shuffled);
  const DriverForNow now(simulated(order));
  OptimizerOptions options = options_of("adam", 1e-2);
  options.clip = 1;
  options.schedule.kind = "cosine";
  Training single(options, gpu), few(options, gpu), all(options, gpu);
  single.move(70, 1);
  few.move(70, 7);
  all.move(70, 70);  // more than a descent takes at once
  check_same(single, few);
  check_same(single, all);
}

TEST_CASE("however many moves are made at once, the host waits once", "[train][cuda][descent]") {
  const auto driver = simulated();
  const DriverForNow now(driver);
  Training training(options_of("adam", 1e-2), gpu);
  training.move(2, 2);  // one as it is begun, one captured
  for (const long moves : {1, 10, 50}) {
    const int waits = driver->calls("synchronize"), copies = driver->calls("copy"),
              launches = driver->calls("launch"), graphs = driver->calls("launch_graph");
    training.optimizer->advance_many(training.p, training.memory, training.objective, moves, never);
    CHECK(driver->calls("synchronize") == waits + 1);
    CHECK(driver->calls("copy") == copies + 3);      // numbers of the moves, results, parameters
    CHECK(driver->calls("launch") == launches + 1);  // of the parameters to their places
    CHECK(driver->calls("launch_graph") == graphs + int(moves));
  }
}

TEST_CASE("a gradient below the tolerance ends moves on a GPU where it does on the CPU",
          "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  OptimizerOptions options = options_of("adam", 1e-2);
  options.tolerance = 0.2;  // met after some moves
  Training here(options, Device::cpu), single(options, gpu), many(options, gpu);
  const long moves = here.move(500, 1);
  CAPTURE(moves, here.last.stopped);
  REQUIRE(moves > 10);
  REQUIRE(moves < 500);
  CHECK(single.move(500, 1) == moves);
  CHECK(many.move(500, 64) == moves);
  check_close(many, here, two_gradients);
  check_same(single, many);
  CHECK_THAT(many.last.stopped, Contains("gradient below tolerance"));
}

TEST_CASE("a loss that is small enough ends moves on a GPU with the one that began there",
          "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  const OptimizerOptions options = options_of("adam", 1e-2);
  Training probe(options, Device::cpu);
  probe.move(25, 1);
  const double enough = std::nextafter(probe.last.loss, 1e300) * (1 + 1e-9);
  Training here(options, Device::cpu), single(options, gpu), many(options, gpu);
  const long moves = here.move(60, 1, enough);
  REQUIRE(moves <= 25);
  CHECK(single.move(60, 1, enough) == moves);
  CHECK(many.move(60, 60, enough) == moves);
  CHECK(many.last.stopped.empty());
  CHECK(many.memory.moves == moves);
  check_same(single, many);
}

TEST_CASE("parameters on a GPU go back to where they were before a move that spoiled the loss",
          "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  const OptimizerOptions options = options_of("sgd", 1e10);  // overflows after some moves
  Training here(options, Device::cpu), single(options, gpu), many(options, gpu);
  const long moves = here.move(60, 1);
  CAPTURE(moves, here.last.stopped);
  REQUIRE(moves > 3);
  REQUIRE(moves < 60);
  REQUIRE(here.last.diverged);
  CHECK(single.move(60, 1) == moves);
  CHECK(many.move(60, 60) == moves);
  CHECK(many.last.diverged);
  CHECK(many.last.stopped == single.last.stopped);
  CHECK(many.p.values() == many.memory.tensors.at("previous").values());
  CHECK(many.p.values() == single.p.values());
  CHECK(many.memory.moves == here.memory.moves);
  CHECK(distance(many.p, here.p) <= two_gradients);
}

TEST_CASE("a loss that is spoiled from the start ends moves on a GPU without a memory",
          "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  Training training(options_of("adam", 1e-2), gpu);
  training.p.data<double>()[2] = std::nan("");
  const std::vector<double> before = training.p.values();
  CHECK(training.move(10, 10) == 1);
  CHECK(training.last.diverged);
  CHECK_THAT(training.last.stopped, Contains("loss is not finite (nan)"));
  CHECK(training.memory.moves == 0);
  CHECK(training.memory.tensors.empty());
  CHECK(std::isnan(training.p.values()[2]));
  CHECK(training.p.values()[3] == before[3]);
}

TEST_CASE("training goes from a GPU to the CPU and back", "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  const OptimizerOptions options = options_of("adam", 1e-2);
  Training whole(options, Device::cpu), there(options, gpu), here(options, Device::cpu),
      back(options, gpu);
  whole.move(45, 1);
  there.move(15, 10);
  here.p = there.p;
  here.memory = there.memory;
  here.move(15, 1);
  back.p = here.p;
  back.memory = here.memory;
  back.move(15, 10);
  check_close(back, whole, two_gradients);
}

TEST_CASE("a GPU that fails between moves ends them with its own words",
          "[train][cuda][descent][errors]") {
  const auto driver = simulated();
  const DriverForNow now(driver);
  Training training(options_of("adam", 1e-2), gpu);
  const auto ten_moves = [&] {
    training.optimizer->advance_many(training.p, training.memory, training.objective, 10, never);
  };
  driver->fail("launch", 4);  // the first moves are begun without a graph
  CHECK_THROWS_AS(ten_moves(), DeviceError);
  ten_moves();
  driver->lose_device();  // and what goes from there goes in silence
  CHECK_THROWS_AS(ten_moves(), DeviceError);
}

TEST_CASE("moves on a GPU count as work", "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  Training there(options_of("adam", 1e-2), gpu), here(options_of("adam", 1e-2), Device::cpu);
  there.move(12, 5);
  here.move(12, 5);
  CHECK(there.loss.work().points == here.loss.work().points);
  CHECK(there.loss.work().product_flops == here.loss.work().product_flops);
}

TEST_CASE("nobody but a compiled step on a GPU has a descent", "[train][cuda][descent]") {
  const DriverForNow now(simulated());
  const Run run = problem_of({6});
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  ThreadPool pool(1);
  const auto has_descent = [&](const LossOptions& options) {
    Loss loss(model, options, pool);
    for (std::size_t r = 0; r < run.sampling.size(); ++r)
      loss.set_points(r, points_of(run, r, "points", 0));
    return loss.descent() != nullptr;
  };
  CHECK(has_descent({.derivatives = {}, .device = gpu}));
  CHECK_FALSE(has_descent({.derivatives = {}}));
  CHECK_FALSE(has_descent({.derivatives = {}, .compiled = false, .device = gpu}));
}

TEST_CASE("moves on a real GPU are those of the CPU, and repeat", "[train][gpu]") {
  if (skips(lack_of_gpu())) return;
  for (const OptimizerOptions& options : every_way()) {
    INFO(options.kind << ", clip " << options.clip << ", " << options.schedule.kind);
    Training there(options, gpu), again(options, gpu), here(options, Device::cpu);
    there.move(45, 10);
    again.move(45, 1);
    here.move(45, 10);
    check_close(there, here, 1e-9);
    check_same(there, again);
  }
}
