#include "bench/workloads.h"

#include <fmt/format.h>

#include "autograd/core/error.h"
#include "autograd/cuda/executor/executor.h"
#include "solvers/residual/step/step_cache.h"

namespace pinn::bench {
namespace {

constexpr std::size_t second_cache = std::size_t(32) << 20;  ///< of 50 MiB that an H100 has

/// A loss with one requirement on a GPU, computed one way.
class OneWay {
 public:
  OneWay(std::shared_ptr<const NetStep> step, std::shared_ptr<const CompiledSweep> compiled,
         Device device, const cuda::ExecutorOptions& options)
      : step_(std::move(step)),
        compiled_(std::move(compiled)),
        executor_(cuda::make_executor(compiled_->program, cuda::gpu(device), options)),
        scales_{1 / double(step_->points.count)},
        sums_(std::size_t(compiled_->program.sums)) {
    inputs_.bind(compiled_->program, compiled_->traced.given, *step_->model,
                 {step_->parameters, {}, scales_, &step_->points, nullptr});
    executor_->set_rows(inputs_.rows(), step_->points.count);
  }

  Said operator()() {
    executor_->start(inputs_.fixed());
    executor_->wait(sums_);
    Said s;
    std::vector<double> squares(1), scratch;
    s.gradient.resize(step_->parameters.size());
    read_sums(*executor_, compiled_->traced, *step_->model, sums_, squares, s.gradient, scratch);
    s.total = squares[0] * scales_[0];
    return s;
  }

 private:
  const std::shared_ptr<const NetStep> step_;
  const std::shared_ptr<const CompiledSweep> compiled_;
  const std::unique_ptr<cuda::GpuExecutor> executor_;
  const std::vector<double> scales_;
  BoundInputs inputs_;
  std::vector<double> sums_;
};

struct NamedWay {
  std::string name;
  cuda::ExecutorOptions options;
};

std::vector<NamedWay> ways_of(const Program& program) {
  const std::size_t lane = std::size_t(program.lanes) * size_of(program.dtype);
  std::vector<NamedWay> ways{
      {"gpu-wide", {.path = cuda::Path::wide}},
      {"gpu-wide-cached", {.path = cuda::Path::wide, .block = second_cache / lane}}};
  for (const int tile : {8, 16, 32, 64})
    ways.push_back({fmt::format("gpu-tile-{}", tile), {.path = cuda::Path::tile, .tile = tile}});
  if (program.dtype == DType::float64) return ways;
  for (std::size_t n = 0, count = ways.size(); n < count; ++n) {
    ways.push_back(ways[n]);
    ways.back().name += "-3xtf32";
    ways.back().options.products = Products::tf32x3;
  }
  return ways;
}

}  // namespace

std::vector<GpuRow> gpu_rows(const std::shared_ptr<const NetStep>& step, const Options& options,
                             const Journal& journal) {
  StepCache cache;
  const auto compiled =
      cache.sweep({.model = step->model, .dtype = options.dtype, .weights = {1.0}},
                  PointWidths(step->points), Sweep::gradient);
  std::vector<GpuRow> rows;
  for (const NamedWay& way : ways_of(compiled->program)) {
    if (!options.wants(way.name)) continue;
    try {
      const auto act = std::make_shared<OneWay>(step, compiled, options.device, way.options);
      GpuRow made{{}, (*act)()};
      made.row.name = way.name;
      made.row.facts.add("points", step->points.count).add("loss", made.said.total);
      made.row.act = [act] { (*act)(); };
      made.row.results = [said = made.said] { return Arrays{{"gradient", said.gradient}}; };
      rows.push_back(std::move(made));
    } catch (const EngineError& error) {
      journal.print(Line().add("row", way.name).add("left_out", error.report.what));
    }
  }
  return rows;
}

}  // namespace pinn::bench
