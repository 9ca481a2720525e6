// Every shipped problem on a GPU: its kernels compile, and give what the CPU gives.
#include <fmt/format.h>

#include "autograd/core/error.h"
#include "autograd/cuda/driver/library.h"
#include "autograd/cuda/text/step_text.h"
#include "configs/read.h"
#include "solvers/points/point_sets.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/residual/step/traced_sweep.h"
#include "solvers/train/train.h"
#include "tests/autograd/cuda/driver/real_gpu.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/catch.h"
#include "tests/configs/shipped.h"
#include "tests/configs/small_case.h"
#include "tests/data/files/folder.h"
#include "tests/larger.h"
#include "tests/solvers/residual/both_ways.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// More points than a tile has, and no multiple of it.
constexpr std::size_t gpu_points = 75;

constexpr std::size_t shared_memory = 227 * 1024;  // of an H100

/// The step of each requirement with its gradient.
std::vector<Program> programs_of(const LossCase& c, DType dtype) {
  std::vector<Program> programs;
  for (std::size_t r = 0; r < c.points.size(); ++r) {
    PartOptions part = traced_part(c.model, r);
    part.dtype = dtype;
    part.derivatives = c.options.derivatives[r];
    programs.push_back(plan(trace_sweep(part, PointWidths(c.points[r]), Sweep::gradient).graph));
  }
  return programs;
}

/// A program's kernels as machine code, one way.
void check_compiles(const Program& program, cuda::Path path) {
  if (path == cuda::Path::tile && cuda::tile_points(program, shared_memory) == 0) return;
  const cuda::StepText text = cuda::step_text(program, shared_memory, path);
  INFO(text.kernels);
  CHECK(cuda::compile(text.text, 90)
            .starts_with("\x7f"
                         "ELF"));
}

/// Loss and gradient of a problem on a GPU against the compiled step on the CPU.
void check_equal(const std::string& file, DType dtype) {
  INFO(file << ", " << name_of(dtype));
  LossCase here = small_case(read_run(file), gpu_points);
  here.options.dtype = dtype;
  LossCase there = here;
  there.options.device = Device{0};
  const std::vector<double> p = here.model->initial_parameters(3);
  const Result a = there.at(p, true);
  CHECK(distance_of(here, p, a, here.at(p, true)) <= (dtype == DType::float64 ? 1e-12 : 2e-5));
  CHECK(there.at(p, true).gradient == a.gradient);
}

/// The parameters after some steps of a problem's first stage, on few points.
std::vector<double> trained(const std::string& file, const std::string& device) {
  Run run = read_run(file, {"stage.1.steps=25", "run.precision=float64", "run.device=" + device});
  run.stages.resize(1);
  run.options.threads = 1;
  run.options.checkpoint = {0, 0};
  run.reference = {};  // which takes longer than all the rest
  for (SamplingOptions& s : run.sampling) s.count = int(gpu_points);
  for (GridAxis& n : run.output.grid) n = 5;
  const Folder folder;
  TrainRequest request;
  request.folder.out = folder / "run";
  request.style = ProgressStyle::quiet;
  train(run, request);
  return newest_checkpoint(folder / "run").checkpoint.value().state.parameters.values();
}

/// A GPU on which tiles fit, or one on which none does.
std::shared_ptr<SimulatedDriver> simulated(bool tiles) {
  SimulatedDriver::Options options;
  options.shared_memory = tiles ? shared_memory : 0;
  return std::make_shared<SimulatedDriver>(options);
}

}  // namespace

TEST_CASE("the kernels of a step of every sixth shipped problem compile", "[configs][cuda]") {
  if (skips(lack_of_compiler())) return;
  int number = 0, files = 0;
  for (const std::string& file : shipped_files()) {
    if (!runs_on_gpu(file) || files++ % 6 != 0) continue;
    INFO(file);
    const Run run = read_run(file);
    const DType dtype = number % 2 == 0 ? DType::float32 : DType::float64;
    const cuda::Path path = number / 2 % 2 == 0 ? cuda::Path::tile : cuda::Path::wide;
    check_compiles(programs_of(small_case(run, gpu_points), dtype)[0], path);
    ++number;
  }
}

TEST_CASE("all kernels of all shipped problems compile", "[configs][cuda][slow]") {
  if (skips(lack_of_compiler())) return;
  for (const std::string& file : shipped_files()) {
    if (!runs_on_gpu(file)) continue;
    INFO(file);
    const Run run = read_run(file);
    for (const DType dtype : {DType::float32, DType::float64})
      for (const Program& program : programs_of(small_case(run, gpu_points), dtype))
        for (const cuda::Path path : {cuda::Path::wide, cuda::Path::tile})
          check_compiles(program, path);
  }
}

TEST_CASE("shipped problems are on a simulated GPU what they are on the CPU", "[configs][cuda]") {
  int number = 0;
  for (const char* name : {"burgers", "kdv", "kovasznay", "poisson_5d"}) {
    const cuda::DriverForNow now(simulated(number % 2 == 0));
    check_equal(fmt::format("{}/configs/{}.toml", PINN_SOURCE_DIR, name),
                number / 2 == 0 ? DType::float64 : DType::float32);
    ++number;
  }
}

TEST_CASE("shipped problems train on a simulated GPU as on the CPU", "[configs][cuda]") {
  for (const char* name : {"burgers", "kovasznay"}) {
    INFO(name);
    const auto driver = simulated(true);
    const cuda::DriverForNow now(driver);
    const std::string file = fmt::format("{}/configs/{}.toml", PINN_SOURCE_DIR, name);
    const std::vector<double> there = trained(file, "cuda"), here = trained(file, "cpu");
    CHECK(driver->calls("launch_graph") >= 24);  // every step but the first
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < here.size(); ++i) {
      largest = larger(largest, std::fabs(here[i]));
      CHECK(std::isfinite(there[i]));
      difference = larger(difference, std::fabs(there[i] - here[i]));
    }
    CHECK(difference <= 1e-12 * largest);
  }
}

TEST_CASE("threads of a simulated GPU take turns in any order", "[configs][cuda]") {
  LossCase c = small_case(read_run(PINN_SOURCE_DIR "/configs/burgers.toml"), gpu_points);
  c.options.device = Device{0};
  const std::vector<double> p = c.model->initial_parameters(3);
  const auto gradient = [&](bool tiles, BlockThreads threads) {
    SimulatedDriver::Options options;
    options.shared_memory = tiles ? shared_memory : 0;
    options.threads = threads;
    const cuda::DriverForNow now(std::make_shared<SimulatedDriver>(options));
    return c.at(p, true).gradient;
  };
  for (const bool tiles : {true, false})
    CHECK((gradient(tiles, BlockThreads::forwards) == gradient(tiles, BlockThreads::backwards)));
}

TEST_CASE("every shipped problem is on a simulated GPU what it is on the CPU either way",
          "[configs][cuda][slow]") {
  for (const bool tiles : {false, true}) {
    const cuda::DriverForNow now(simulated(tiles));
    for (const std::string& file : shipped_files())
      for (const DType dtype : {DType::float32, DType::float64})
        if (runs_on_gpu(file)) check_equal(file, dtype);
  }
}

namespace {

void check_on_real_gpu(DType dtype) {
  if (skips(lack_of_gpu())) return;
  for (const std::string& file : shipped_files())
    if (runs_on_gpu(file)) check_equal(file, dtype);
}

}  // namespace

TEST_CASE("every shipped problem is on a GPU what it is on the CPU in float32",
          "[configs][gpu][float32]") {
  check_on_real_gpu(DType::float32);
}

TEST_CASE("every shipped problem is on a GPU what it is on the CPU in float64",
          "[configs][gpu][float64]") {
  check_on_real_gpu(DType::float64);
}
