// Programs on a GPU compute what their instructions mean. Here on a simulated one, whose kernels
// are the generated text compiled for the host; tagged [gpu] on a real one.
#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "autograd/cuda/executor.h"
#include "autograd/graph/passes.h"
#include "autograd/program/plan.h"
#include "tests/autograd/cuda/real_gpu.h"
#include "tests/autograd/cuda/simulated_driver.h"
#include "tests/autograd/graph/random_graph.h"
#include "tests/autograd/program/interpret.h"
#include "tests/autograd/program/outputs.h"
#include "tests/autograd/program/rounded.h"
#include "tests/catch.h"
#include "tests/dice.h"

using namespace pinn;
using namespace pinn::test;
using cuda::GpuExecutor;
using cuda::Path;

namespace {

struct Case {
  Program program;
  Arrays inputs;
  std::size_t points = 0;

  std::vector<RowArray> rows() const {
    std::vector<RowArray> all;
    for (const RowInput& r : program.rows)
      all.push_back({inputs.at(r.name).data(), r.lanes.size()});
    return all;
  }
  std::vector<std::span<const double>> fixed() const {
    std::vector<std::span<const double>> all;
    for (const FixedInput& f : program.fixed) all.push_back(inputs.at(f.name));
    return all;
  }
  bool has_rows_out() const {
    for (const ProgramOutput& o : program.outputs)
      if (o.row) return true;
    return false;
  }
};

/// Random sample n as a program; nothing where it cannot be one.
std::optional<Case> random_case(std::uint64_t n, bool rounds = false) {
  const Sample s = random_sample(n);
  Case c;
  try {
    c.program = plan(optimized(rounds ? rounded(s.graph, n) : s.graph));
  } catch (const EngineError&) {
    return {};
  }
  for (const auto& [name, tensor] : s.inputs) c.inputs[name] = tensor.values();
  c.points = std::size_t(s.points);
  return c;
}

/// The outputs when points go in `pieces` pieces.
Outputs executed(const Case& c, GpuExecutor& executor, std::size_t pieces) {
  executor.prepare(c.fixed());
  Outputs outputs;
  std::vector<double*> rows_out;
  for (const ProgramOutput& o : c.program.outputs)
    outputs.emplace_back(std::size_t(o.count) * (o.row ? c.points : 1));
  for (std::size_t o = 0; o < outputs.size(); ++o)
    rows_out.push_back(c.program.outputs[o].row ? outputs[o].data() : nullptr);
  std::vector<double> sums(std::size_t(c.program.sums));
  const auto workspace = executor.workspace();
  for (std::size_t k = 0; k < pieces; ++k)
    executor.run(c.rows(), k * c.points / pieces, (k + 1) * c.points / pieces, *workspace, sums,
                 rows_out);
  executor.finish(sums);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (!rows_out[o]) executor.read(o, sums, outputs[o]);
  return outputs;
}

/// The outputs of a captured step.
Outputs replayed(const Case& c, GpuExecutor& executor) {
  executor.set_rows(c.rows(), c.points);
  std::vector<double> sums(std::size_t(c.program.sums));
  executor.start(c.fixed());
  executor.wait(sums);
  Outputs outputs;
  for (std::size_t o = 0; o < c.program.outputs.size(); ++o) {
    outputs.emplace_back(std::size_t(c.program.outputs[o].count));
    executor.read(o, sums, outputs.back());
  }
  return outputs;
}

bool packs(const Program& program) {
  return std::any_of(program.body.begin(), program.body.end(),
                     [](const Instruction& i) { return i.step == Step::pack; });
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

/// How far a GPU is from what the instructions mean, whichever way it runs.
void check(const Case& c, cuda::Gpu& gpu) {
  const Outputs expected = interpret(c.program, c.inputs, c.points);
  const double allowed = c.program.dtype == DType::float64 ? 1e-12 : 1e-3;
  for (const Path path : {Path::wide, Path::tile}) {
    if (path == Path::tile && cuda::tile_points(c.program, gpu.info().shared_memory) == 0) continue;
    INFO((path == Path::wide ? "wide" : "tile"));
    const auto executor = cuda::make_executor(c.program, gpu, {.path = path, .block = 32});
    for (const std::size_t pieces : {1, 2})
      CHECK(distance(executed(c, *executor, pieces), expected) <= allowed);
    if (c.has_rows_out()) continue;
    const Outputs once = replayed(c, *executor);
    CHECK(distance(once, expected) <= allowed);
    for (int k = 0; k < 2; ++k) CHECK(replayed(c, *executor) == once);
  }
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
  check_samples(0, 16, cuda::gpu(Device{0}), 6);
}

namespace {

bool has_contraction(const Program& p) {
  return std::any_of(p.body.begin(), p.body.end(),
                     [](const Instruction& i) { return i.step == Step::contract; });
}

/// The first random program in float64 with a contraction whose outputs are all sums, at `times` as
/// many points.
Case summing_case(std::size_t times = 1) {
  for (std::uint64_t n = 1;; ++n) {
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

TEST_CASE("a simulated GPU rounds what is saved as the instructions mean it, per block or tile",
          "[autograd][program][cuda]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  check_rounded_samples(0, 16, cuda::gpu(Device{0}), 6);
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
    i.step = Step::product;
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
  contract.step = Step::contract;
  contract.b = y;
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

TEST_CASE("a GPU multiplies and contracts layers of any width", "[autograd][program][gpu]") {
  if (no_gpu()) return;
  for (const auto& [k, n] : {std::pair(1, 1), {7, 5}, {31, 10}, {44, 42}, {64, 64}})
    for (const DType dtype : {DType::float32, DType::float64})
      check(contracted_layers(k, n, dtype), cuda::gpu(Device{0}));
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
    coarse = std::max(coarse, distance(made(Products::tf32), exact));
    ++run;
  }
  CHECK(run > 1);
  CHECK(coarse > 1e-4);  // 11 bits are 5e-4
}

TEST_CASE("a simulated GPU runs many more programs as their instructions mean it",
          "[autograd][program][cuda][slow]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  check_samples(16, 900, cuda::gpu(Device{0}), 400);
}

TEST_CASE("a simulated GPU rounds what many more programs save as their instructions mean it",
          "[autograd][program][cuda][slow]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  check_rounded_samples(16, 300, cuda::gpu(Device{0}), 100);
}

TEST_CASE("a GPU rounds what is saved as the instructions mean it", "[autograd][program][gpu]") {
  if (no_gpu()) return;
  check_rounded_samples(0, 100, cuda::gpu(Device{0}), 40);
}

TEST_CASE("a GPU runs programs as their instructions mean it", "[autograd][program][gpu]") {
  if (no_gpu()) return;
  check_samples(0, 100, cuda::gpu(Device{0}), 40);
}
