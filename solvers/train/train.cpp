#include "solvers/train/train.h"

#include <fmt/format.h>

#include "solvers/train/session.h"
#include "solvers/train/signals.h"

namespace pinn {

TrainResult train(const Run& run, const TrainRequest& request) {
  device_of(run);  // before there is a folder
  const Signals signals;
  return Session(run, request).run_stages();
}

ChosenDevice device_of(const Run& run) { return choose_device(run.options.device); }

std::vector<Derivatives> choose_derivatives(const Run& run, const Model& model,
                                            std::string& report) {
  std::vector<Derivatives> chosen;
  for (const Requirement& r : run.problem.requirements) {
    const ProductCount count = count_products(model, r);
    const std::string& asked = run.options.derivatives;
    chosen.push_back(asked == "reverse"  ? Derivatives::reverse
                     : asked == "taylor" ? Derivatives::taylor
                                         : count.cheaper());
    report += fmt::format(
        "{}: {} derivatives, {} channels ({:.0f} multiplications a point; taylor {:.0f}, "
        "reverse {:.0f})\n",
        r.name, name_of(chosen.back()), plan_channels(r, run.problem).table->size(),
        chosen.back() == Derivatives::taylor ? count.taylor : count.reverse, count.taylor,
        count.reverse);
  }
  return chosen;
}

}  // namespace pinn
