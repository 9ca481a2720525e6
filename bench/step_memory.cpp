#include <cmath>

#include "bench/clock.h"
#include "bench/net_step.h"
#include "bench/resident.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

constexpr double mebi = 1 << 20;

/// A compiled step at so many points, the first and only one of its process. The peak is that of
/// the whole process, from its start on: drawing the points is part of it.
void one_size(const Options& options, Journal& journal) {
  NetStep step(burgers, options.width_or(128), options.layers_or(4), options.points);
  ThreadPool pool(options.threads);
  const double points = double(step.points.x.size() * sizeof(double));
  Loss loss(step.model, LossOptions{options.dtype, {compiled.derivatives}}, pool);
  loss.set_points(0, std::move(step.points));
  const double before = double(status_bytes("VmRSS"));
  std::vector<double> gradient(step.parameters.size());
  const double time = seconds([&] { loss.value_and_gradient(step.parameters, gradient); });
  const double peak = double(status_bytes("VmHWM"));

  double sum = 0;
  for (const double g : gradient) sum += g;
  journal.validate("entries of the gradient that are not finite", std::isfinite(sum) ? 0 : 1, 0);
  journal.print(Line()
                    .add("row", fmt::format("{} points", options.points))
                    .add("dtype", name_of(options.dtype))
                    .add("threads", options.threads)
                    .add("points", options.points)
                    .add("points_mib", points / mebi)
                    .add("before_mib", before / mebi)
                    .add("peak_mib", peak / mebi)
                    .add("above_points_mib", (peak - points) / mebi)
                    .add("first_step_ms", 1e3 * time));
  journal.compare(fmt::format("{} points: MiB above them", options.points), (peak - points) / mebi,
                  64);
}

}  // namespace

void step_memory(const Options& options, Journal& journal) {
  if (options.points > 0) return one_size(options, journal);
  for (const std::int64_t points : {10000, 100000, 1000000, 10000000}) {
    Options apart = options;
    apart.points = points;
    run_apart(apart, journal);
  }
}

}  // namespace pinn::bench
