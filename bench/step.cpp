#include <algorithm>
#include <cmath>

#include "autograd/compile.h"
#include "autograd/core/error.h"
#include "bench/net_step.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

/// The step in float64 by one mode, op by op. What a GPU is held to, for as many points as it
/// takes, is the compiled step of the CPU, whichever the mode: tests hold that to the others.
Said exact(const NetStep& step, const Way& way, const Options& options) {
  if (options.device.is_cpu()) return said(step, DType::float64, way);
  return said(step, DType::float64, compiled, Device::cpu, available_threads());
}

/// Operations of the products of the step in Taylor mode, which a compiled step does not count:
/// those of a few points, for each of which there are as many.
double taylor_flops(std::int64_t width, std::int64_t layers, std::int64_t count, DType dtype) {
  const std::int64_t few = std::min<std::int64_t>(count, 10000);
  return said(NetStep(burgers, width, layers, few), dtype, by_taylor).flops * double(count) /
         double(few);
}

/// The ways to measure. Errors: ConfigError for products that cannot be made here, since what is
/// measured would be something else.
std::vector<Way> ways_for(const Options& options) {
  std::vector<Way> all(std::begin(ways), std::end(ways));
  if (options.products != "bf16x3") return all;
  if (!options.device.is_cpu() || options.dtype != DType::float32 || !multiplies_tiles())
    throw ConfigError({"products from bf16 parts are for float32 on a CPU with AMX",
                       "--products bf16x3", "leave it out"});
  all.push_back(in_parts);
  return all;
}

/// Holds a way to the gradient and the loss in float64 by the other mode.
void validate(const std::string& name, const Said& s, const Said& exact, DType dtype,
              Journal& journal) {
  const double limit = dtype == DType::float32 ? 1e-5 : 1e-10;
  journal.validate(name + ": gradient against float64 by the other mode",
                   gradient_difference(s, exact), limit);
  journal.validate(name + ": loss against it", std::fabs(s.total / exact.total - 1), limit);
}

}  // namespace

void training_step(const Options& options, Journal& journal) {
  const std::int64_t width = options.width_or(20), layers = options.layers_or(8),
                     count = options.points_or(10000);
  const std::string activation = options.activation.empty() ? "tanh" : options.activation;
  const auto step = std::make_shared<const NetStep>(burgers, width, layers, count, activation);
  Said taylor, reverse;
  if (!options.serve) {  // who is served compares gradients itself
    reverse = exact(*step, by_reverse, options);
    if (!options.only_write)
      taylor = options.device.is_cpu() ? exact(*step, by_taylor, options) : reverse;
  }
  if (options.only_write) {
    write_arrays(options.folder, "input",
                 {{"parameters", step->parameters}, {"x", step->points.x}});
    return write_arrays(options.folder, "reference", {{"gradient", reverse.gradient}});
  }

  ThreadPool pool(options.threads);
  std::vector<Row> rows;
  for (const Way& way : ways_for(options)) {
    if (!options.wants(way.name)) continue;
    const Said s = said(*step, options.dtype, way, options.device);
    if (!options.serve)
      validate(way.name, s, way.derivatives == Derivatives::taylor ? reverse : taylor,
               options.dtype, journal);
    const double flops = way.compiled ? taylor_flops(width, layers, count, options.dtype) : s.flops;
    rows.push_back(row_of(step, way, options.dtype, flops, pool, options.device));
    rows.back().facts.add("width", width).add("layers", layers).add("activation", activation);
    rows.back().facts.add("loss", s.total);
    rows.back().results = [s] { return Arrays{{"gradient", s.gradient}}; };
  }
  if (options.paths)
    for (GpuRow& way : gpu_rows(step, options, journal)) {
      validate(way.row.name, way.said, reverse, options.dtype, journal);
      way.row.flops = taylor_flops(width, layers, count, options.dtype);
      rows.push_back(std::move(way.row));
    }
  measure(rows, options, journal);
}

}  // namespace pinn::bench
