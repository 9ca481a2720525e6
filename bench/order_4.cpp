#include "bench/clock.h"
#include "bench/net_step.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

struct Equation {
  std::string name, residual;
};
const std::vector<Equation> equations{{"burgers", burgers},
                                      {"beam", "u_tt + u_xxxx"},
                                      {"kuramoto-sivashinsky", "u_t + u*u_x + u_xx + u_xxxx"}};

}  // namespace

void fourth_order(const Options& options, Journal& journal) {
  const std::int64_t width = options.width_or(64), layers = options.layers_or(4),
                     count = options.points_or(10000);
  constexpr std::int64_t few = 200;  // enough to compare; nested reverse takes long
  const double limit = options.dtype == DType::float32 ? 1e-5 : 1e-10;
  ThreadPool pool(options.threads);
  std::vector<Row> rows;
  for (const auto& [name, residual] : equations) {
    const NetStep small(residual, width, layers, std::min(few, count));
    journal.validate(name + ": gradient against float64 by nested reverse",
                     gradient_difference(said(small, options.dtype, compiled),
                                         said(small, DType::float64, by_reverse)),
                     limit);
    const auto step = std::make_shared<const NetStep>(residual, width, layers, count);
    const double flops = said(*step, options.dtype, by_taylor).flops;
    rows.push_back(row_of(step, compiled, options.dtype, flops, pool));
    rows.back().name = name;
    rows.back().facts.add("width", width).add("layers", layers);
  }
  const std::map<std::string, Samples> samples = measure(rows, options, journal);
  for (const Equation& e : equations)
    if (e.name != "burgers" && samples.count(e.name) && samples.count("burgers"))
      journal.compare(e.name + " / burgers",
                      median(samples.at(e.name).wall) / median(samples.at("burgers").wall), 3.5);
}

}  // namespace pinn::bench
