#include <cmath>

#include "bench/net_step.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

/// Holds a way to the gradient and the loss in float64 by the other mode.
void validate(const Way& way, const Said& s, const Said& exact, DType dtype, Journal& journal) {
  const double limit = dtype == DType::float32 ? 1e-5 : 1e-10;
  const std::string name = way.name;
  journal.validate(name + ": gradient against float64 by the other mode",
                   gradient_difference(s, exact), limit);
  journal.validate(name + ": loss against it", std::fabs(s.total / exact.total - 1), limit);
}

}  // namespace

void training_step(const Options& options, Journal& journal) {
  const std::int64_t width = options.width_or(20), layers = options.layers_or(8),
                     count = options.points_or(10000);
  const auto step = std::make_shared<const NetStep>(burgers, width, layers, count);
  Said taylor, reverse;
  if (!options.serve) {  // who is served compares gradients itself
    taylor = said(*step, DType::float64, by_taylor);
    reverse = said(*step, DType::float64, by_reverse);
  }
  if (options.only_write) {
    write_arrays(options.folder, "input",
                 {{"parameters", step->parameters}, {"x", step->points.x}});
    return write_arrays(options.folder, "reference", {{"gradient", reverse.gradient}});
  }

  ThreadPool pool(options.threads);
  std::vector<Row> rows;
  for (const Way& way : ways) {
    if (!options.wants(way.name)) continue;
    const Said s = said(*step, options.dtype, way);
    if (!options.serve)
      validate(way, s, way.derivatives == Derivatives::taylor ? reverse : taylor, options.dtype,
               journal);
    // A compiled step counts no products: those of the eager step in Taylor mode.
    const double flops = way.compiled ? said(*step, options.dtype, by_taylor).flops : s.flops;
    rows.push_back(row_of(step, way, options.dtype, flops, pool));
    rows.back().facts.add("width", width).add("layers", layers).add("loss", s.total);
    rows.back().results = [s] { return Arrays{{"gradient", s.gradient}}; };
  }
  measure(rows, options, journal);
}

}  // namespace pinn::bench
