// Programs on a GPU compute what their instructions mean. Here on a simulated one, whose kernels
// are the generated text compiled for the host; tagged [gpu] on a real one.
#include <algorithm>
#include <cmath>

#include "tests/autograd/cuda/driver/real_gpu.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/autograd/program/gpu_case.h"
#include "tests/catch.h"
#include "tests/dice.h"
#include "tests/larger.h"

using namespace pinn;
using namespace pinn::test;
using cuda::GpuExecutor;
using cuda::Path;

namespace {

bool packs(const Program& program) {
  return std::any_of(program.body.begin(), program.body.end(),
                     [](const Instruction& i) { return i.opcode == Opcode::pack; });
}

/// Random sample n with rounded values, in float64, at more points than a block has.
std::optional<Case> rounded_case(std::uint64_t n) {
  std::optional<Case> c = random_case(n, true);
  if (!c || !packs(c->program)) return {};
  c->points = 75;
  Dice dice(n);
  for (const RowInput& r : c->program.rows) {
    std::vector<double>& numbers = c->inputs[r.name];
    numbers.resize(c->points * r.lanes.size());
    for (double& x : numbers) x = dice.uniform() - 0.5;
  }
  return c;
}

/// The same with values that are rounded with a scale per wide block or tile.
void check_rounded(const Case& c, cuda::Gpu& gpu) {
  for (const Path path : {Path::wide, Path::tile}) {
    const int tile = cuda::tile_points(c.program, gpu.info().shared_memory);
    if (path == Path::tile && tile == 0) continue;
    INFO((path == Path::wide ? "wide" : "tile"));
    const std::size_t block = path == Path::wide ? 32 : std::size_t(tile);
    const auto executor = cuda::make_executor(c.program, gpu, {.path = path, .block = block});
    CHECK(distance(executed(c, *executor, 1), interpret(c.program, c.inputs, c.points, block)) <=
          1e-12);
  }
}

/// The least number of samples that are to be checked.
void check_rounded_samples(std::uint64_t from, std::uint64_t to, cuda::Gpu& gpu, int least) {
  int run = 0;
  for (std::uint64_t n = from; n < to; ++n) {
    if (n % 4 == 0) continue;  // those mix dtypes
    const std::optional<Case> c = rounded_case(n);
    if (!c) continue;
    ++run;
    INFO("sample " << n << "\n" << to_text(c->program));
    check_rounded(*c, gpu);
  }
  CHECK(run >= least);
}

void check_samples(std::uint64_t from, std::uint64_t to, cuda::Gpu& gpu, int least) {
  int run = 0;
  for (std::uint64_t n = from; n < to; ++n) {
    if (n % 4 == 0) continue;  // those mix dtypes
    std::optional<Case> c = random_case(n);
    if (!c) continue;
    ++run;
    c->program.dtype = n % 2 == 0 ? DType::float32 : DType::float64;
    INFO("sample " << n << ", " << name_of(c->program.dtype) << "\n" << to_text(c->program));
    check(*c, gpu);
  }
  CHECK(run >= least);
}

}  // namespace

TEST_CASE("a simulated GPU runs programs as their instructions mean it",
          "[autograd][program][cuda]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  check_samples(0, 9, cuda::gpu(Device{0}), 3);
}

TEST_CASE("a simulated GPU rounds what is saved as the instructions mean it, per block or tile",
          "[autograd][program][cuda]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  check_rounded_samples(0, 9, cuda::gpu(Device{0}), 3);
}

TEST_CASE("products of three TF32 products have the digits of float32",
          "[autograd][program][cuda]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  double coarse = 0;
  int run = 0;
  for (const std::uint64_t n : {2, 6, 10, 14}) {
    std::optional<Case> c = random_case(n);
    if (!c) continue;
    c->program.dtype = DType::float32;
    const auto made = [&](Products products) {
      const auto executor = cuda::make_executor(c->program, cuda::gpu(Device{0}),
                                                {.path = Path::wide, .products = products});
      return executed(*c, *executor, 1);
    };
    const Outputs exact = made(Products::exact);
    CHECK(distance(made(Products::tf32x3), exact) <= 2e-5);
    CHECK(distance(made(Products::bf16x3), exact) == 0);  // of CPUs
    coarse = larger(coarse, distance(made(Products::tf32), exact));
    ++run;
  }
  CHECK(run > 1);
  CHECK(coarse > 1e-4);  // 11 bits are 5e-4
}

TEST_CASE("a simulated GPU runs many more programs as their instructions mean it",
          "[autograd][program][cuda][slow]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  check_samples(9, 900, cuda::gpu(Device{0}), 400);
}

TEST_CASE("a simulated GPU rounds what many more programs save as their instructions mean it",
          "[autograd][program][cuda][slow]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  check_rounded_samples(9, 300, cuda::gpu(Device{0}), 100);
}

TEST_CASE("a GPU rounds what is saved as the instructions mean it", "[autograd][program][gpu]") {
  if (skips(lack_of_gpu())) return;
  check_rounded_samples(0, 100, cuda::gpu(Device{0}), 40);
}

TEST_CASE("a GPU runs programs as their instructions mean it", "[autograd][program][gpu]") {
  if (skips(lack_of_gpu())) return;
  check_samples(0, 100, cuda::gpu(Device{0}), 40);
}
