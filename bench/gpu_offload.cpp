#include "autograd/choose_device.h"
#include "autograd/core/storage.h"
#include "bench/clock.h"
#include "bench/net_step.h"
#include "bench/tensors.h"
#include "bench/workloads.h"

namespace pinn::bench {
namespace {

constexpr double limit = double(std::size_t(8) << 30);  // bytes of the device

/// Steps of one network, op by op and in one block, that keep what they save in a given way. It has
/// so many layers that what one of them works on is little beside what all of them save.
struct Offload {
  const Options& options;
  ThreadPool pool{1};

  std::shared_ptr<const NetStep> step(std::int64_t points) const {
    return std::make_shared<const NetStep>(burgers, options.width_or(1024), options.layers_or(16),
                                           points);
  }

  std::unique_ptr<Loss> loss(const NetStep& step, const std::string& saved) {
    LossOptions how{options.dtype, {Derivatives::taylor}, false};
    how.saved.kind = saved;
    how.block = step.points.count;
    how.device = options.device;
    auto made = std::make_unique<Loss>(step.model, how, pool);
    made->set_points(0, step.points);
    return made;
  }

  std::vector<double> gradient(const NetStep& step, const std::string& saved) {
    std::vector<double> g(step.parameters.size());
    loss(step, saved)->value_and_gradient(step.parameters, g);
    return g;
  }

  Row row(const std::string& name, const std::string& saved, std::int64_t points) {
    const auto of = step(points);
    Row row;
    row.name = name;
    row.facts.add("points", points);
    row.act = [loss = std::shared_ptr(loss(*of, saved)), of,
               g = std::vector<double>(of->parameters.size())]() mutable {
      loss->value_and_gradient(of->parameters, g);
    };
    return row;
  }
};

}  // namespace

void gpu_offload(const Options& options, Journal& journal) {
  Offload offload{options};
  limit_memory(options.device, std::size_t(limit));
  const auto few = offload.step(4096);
  reset_peak(options.device);
  const std::vector<double> kept = offload.gradient(*few, "keep");
  const double bytes = double(memory_use(options.device).peak) / double(few->points.count);
  journal.validate("gradient with saved = \"cpu\" away from that with \"keep\"",
                   distance(kept, offload.gradient(*few, "cpu")), 0);

  const auto fits = std::int64_t(0.6 * limit / bytes), large = std::int64_t(4 * limit / bytes);
  const auto samples =
      measure({offload.row("kept", "keep", fits), offload.row("offloaded", "cpu", large)}, options,
              journal);
  if (samples.size() == 2)
    journal.compare("time per point, offloaded over kept",
                    median(samples.at("offloaded").wall) / double(large) /
                        (median(samples.at("kept").wall) / double(fits)),
                    1.5);
}

}  // namespace pinn::bench
