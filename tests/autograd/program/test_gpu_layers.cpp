// Surroundings of a program on a GPU, and the joint work of its threads.
#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "tests/autograd/cuda/driver/real_gpu.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/autograd/program/gpu_case.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;
using cuda::Path;

namespace {

bool has_contraction(const Program& p) {
  return std::any_of(p.body.begin(), p.body.end(),
                     [](const Instruction& i) { return i.opcode == Opcode::contract; });
}

/// The first random program in float64 with a contraction whose outputs are all sums, at `times` as
/// many points.
Case summing_case(std::size_t times = 1) {
  for (std::uint64_t n = 1;; ++n) {
    if (n % 4 == 0) continue;  // those mix dtypes
    std::optional<Case> c = random_case(n);
    if (!c || c->has_rows_out() || !has_contraction(c->program)) continue;
    c->program.dtype = DType::float64;
    for (const RowInput& r : c->program.rows) {
      std::vector<double>& values = c->inputs.at(r.name);
      const std::vector<double> once = values;
      for (std::size_t k = 1; k < times; ++k) values.insert(values.end(), once.begin(), once.end());
    }
    c->points *= times;
    return *c;
  }
}

}  // namespace

TEST_CASE("an executor goes quietly when its device is lost", "[autograd][program][cuda]") {
  const auto driver = std::make_shared<SimulatedDriver>();
  const cuda::DriverForNow now(driver);
  const Case c = summing_case();
  auto executor = cuda::make_executor(c.program, cuda::gpu(Device{0}));
  for (int k = 0; k < 2; ++k) replayed(c, *executor);
  driver->lose_device();
  CHECK_NOTHROW(executor.reset());
}

TEST_CASE("a step that could not be captured leaves the device as it was",
          "[autograd][program][cuda]") {
  const auto driver = std::make_shared<SimulatedDriver>();
  const cuda::DriverForNow now(driver);
  const Case c = summing_case();
  const auto executor = cuda::make_executor(c.program, cuda::gpu(Device{0}));
  const Outputs first = replayed(c, *executor);
  driver->fail("launch");
  CHECK_THROWS_AS(replayed(c, *executor), DeviceError);
  CHECK(replayed(c, *executor) == first);
}

TEST_CASE("wide blocks take a quarter of the device's limit", "[autograd][program][cuda]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  cuda::Gpu& gpu = cuda::gpu(Device{0});
  const Case c = summing_case(400);
  const std::size_t arena = std::size_t(c.program.lanes) * c.points * sizeof(double);
  const auto at_limit = [&](std::size_t limit) {
    gpu.memory().trim();
    gpu.memory().limit(limit);
    return replayed(c, *cuda::make_executor(c.program, gpu, {.path = Path::wide}));
  };
  const Outputs expected = interpret(c.program, c.inputs, c.points);
  CHECK(distance(at_limit(0), expected) <= 1e-12);
  CHECK(distance(at_limit(arena), expected) <= 1e-12);  // where there is place for no more
}

TEST_CASE("an executor that found no memory for its points takes them when there is some",
          "[autograd][program][cuda]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  cuda::Gpu& gpu = cuda::gpu(Device{0});
  const Case few = summing_case(), c = summing_case(50);
  const auto executor = cuda::make_executor(c.program, gpu, {.path = Path::wide});
  const auto other = cuda::make_executor(c.program, gpu, {.path = Path::wide});
  const Outputs expected = replayed(c, *other);
  replayed(few, *executor);
  gpu.memory().limit(1);
  CHECK_THROWS_AS(replayed(c, *executor), DeviceError);
  gpu.memory().limit(0);
  CHECK(replayed(c, *executor) == expected);
}

namespace {

/// Two layers x -> h -> y of so many features, in two channels, and the contraction of h with y.
Case contracted_layers(int k, int n, DType dtype) {
  Case c;
  Program& p = c.program;
  p.dtype = dtype;
  p.rows.push_back({"x", {0, 1, 2, 3}});
  p.weights = {{0, k, 1, 2, k, -1, 1}, {2 * k, 1, k, k, n, -1, 1}};
  p.fixed_size = 2 * k + k * n;
  p.fixed.push_back({"w", 0, p.fixed_size});
  const Operand x{Memory::lane, 0, 1}, h{Memory::lane, 4, 1}, y{Memory::lane, 4 + 2 * k, 1};
  const auto product = [](const Operand& from, const Operand& to, int weights, int in, int out) {
    Instruction i;
    i.opcode = Opcode::product;
    i.channels = 2;
    i.a = from;
    i.out = to;
    i.weights = weights;
    i.k = in;
    i.n = out;
    i.count = 2 * out;
    return i;
  };
  Instruction contract = product(h, {Memory::sum, 0, 1}, -1, k, n);
  contract.opcode = Opcode::contract;
  contract.b = y;
  contract.count = k * n;
  p.body = {product(x, h, 0, 2, k), product(h, y, 1, k, n), contract};
  p.lanes = 4 + 2 * k + 2 * n;
  p.sums = k * n;
  p.outputs.push_back({false, k * n, {{{Memory::sum, 0, 1}, k * n}}});
  c.points = 45;
  for (std::size_t i = 0; i < 4 * c.points; ++i)
    c.inputs["x"].push_back(std::sin(1 + 2.3 * double(i)));
  for (int i = 0; i < p.fixed_size; ++i) c.inputs["w"].push_back(std::cos(0.7 * i));
  return c;
}

}  // namespace

TEST_CASE("a simulated GPU multiplies and contracts layers of any width",
          "[autograd][program][cuda]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  const auto [k, n] = GENERATE(table<int, int>({{1, 1}, {7, 5}, {31, 10}, {44, 42}, {64, 64}}));
  const DType dtype = (k + n) % 2 == 0 ? DType::float64 : DType::float32;
  INFO(k << " x " << n);
  check(contracted_layers(k, n, dtype), cuda::gpu(Device{0}));
}

namespace {

/// Products on tensor cores: in float64, and in float32 as three of halves, which may be twice as
/// far from float64 as float32's own in tiles. The library's sums round toward zero all along.
void check_tensor_cores(const Case& c, cuda::Gpu& gpu, const std::vector<int>& tiles) {
  const bool single = c.program.dtype == DType::float32;
  Case exact = c;
  exact.program.dtype = DType::float64;
  const Outputs expected = interpret(exact.program, c.inputs, c.points);
  const auto off = [&](const cuda::ExecutorOptions& options) {
    const auto executor = cuda::make_executor(c.program, gpu, options);
    return distance(executed(c, *executor, 1), expected);
  };
  const double exact_off = off({.path = Path::wide});
  CHECK(off({.path = Path::wide, .products = Products::tf32x3}) <= (single ? 5e-6 : 1e-14));
  for (const int tile : tiles) {
    INFO("tiles of " << tile);
    CHECK(off({.path = Path::tile, .tile = tile, .products = Products::tf32x3}) <=
          (single ? 2 * exact_off : 1e-14));
  }
}

}  // namespace

TEST_CASE("simulated tensor cores have the digits of float32 and float64",
          "[autograd][program][cuda]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  const auto [k, n, tile] =
      GENERATE(table<int, int, int>({{8, 8, 8}, {31, 10, 16}, {44, 42, 8}, {64, 64, 32}}));
  INFO(k << " x " << n);
  for (const DType dtype : {DType::float32, DType::float64})
    check_tensor_cores(contracted_layers(k, n, dtype), cuda::gpu(Device{0}), {tile});
}

TEST_CASE("a GPU's tensor cores have the digits of float32 and float64",
          "[autograd][program][gpu]") {
  if (skips(lack_of_gpu())) return;
  for (const auto& [k, n] : {std::pair(8, 8), {20, 20}, {31, 10}, {44, 42}, {64, 64}, {72, 16}})
    for (const DType dtype : {DType::float32, DType::float64}) {
      INFO(k << " x " << n);
      check_tensor_cores(contracted_layers(k, n, dtype), cuda::gpu(Device{0}), {8, 16, 32});
    }
}

namespace {

/// The outputs of both paths on a GPU whose threads take turns.
std::vector<Outputs> executed(const Case& c, BlockThreads threads) {
  SimulatedDriver::Options options;
  options.threads = threads;
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>(options));
  std::vector<Outputs> all;
  for (const Path path : {Path::wide, Path::tile}) {
    const auto executor = cuda::make_executor(c.program, cuda::gpu(Device{0}), {.path = path});
    all.push_back(executed(c, *executor, 1));
  }
  return all;
}

/// Barriers stand where threads need them: turns in another order change nothing.
void check_barriers(const Case& c) {
  const std::vector<Outputs> forwards = executed(c, BlockThreads::forwards);
  CHECK((forwards == executed(c, BlockThreads::backwards)));
  const Outputs expected = interpret(c.program, c.inputs, c.points);
  for (const Outputs& outputs : forwards) CHECK(distance(outputs, expected) <= 1e-12);
}

}  // namespace

TEST_CASE("threads of a block wait for each other where one needs what another one makes",
          "[autograd][program][cuda]") {
  for (const auto& [k, n] : {std::pair(7, 5), {20, 20}, {44, 42}, {64, 64}}) {
    INFO(k << " x " << n);
    check_barriers(contracted_layers(k, n, DType::float64));
  }
  int run = 0;
  for (std::uint64_t n = 1; n < 8; n += 2) {
    std::optional<Case> c = random_case(n);
    if (!c) continue;
    c->program.dtype = DType::float64;
    INFO("sample " << n << "\n" << to_text(c->program));
    check_barriers(*c);
    ++run;
  }
  CHECK(run > 1);
}

TEST_CASE("a GPU multiplies and contracts layers of any width", "[autograd][program][gpu]") {
  if (skips(lack_of_gpu())) return;
  for (const auto& [k, n] : {std::pair(1, 1), {7, 5}, {31, 10}, {44, 42}, {64, 64}})
    for (const DType dtype : {DType::float32, DType::float64})
      check(contracted_layers(k, n, dtype), cuda::gpu(Device{0}));
}
