#include "solvers/state/speed.h"

#include <fmt/format.h>

#include <cmath>

namespace pinn {

std::string short_count(double value) {
  const char* units[] = {"", "k", "M", "G", "T"};
  int unit = 0;
  for (; value >= 999.5 && unit < 4; ++unit) value /= 1000;
  const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}", value, decimals, units[unit]);
}

std::string to_text(const Speed& speed) {
  std::string text = fmt::format("{} steps/s, {} points/s", short_count(speed[Speed::steps]),
                                 short_count(speed[Speed::points]));
  if (std::isfinite(speed[Speed::gflops]))
    text += fmt::format(", {:.3g} GFLOP/s in products", speed[Speed::gflops]);
  if (std::isfinite(speed[Speed::share]))
    text += fmt::format(", {:.0f} % of the peak of fused multiply-adds", 100 * speed[Speed::share]);
  return text;
}

void SpeedMeter::start(double seconds, std::int64_t step, double peak) {
  peak_ = peak;
  at_ = seconds;
  step_ = step;
  work_ = {};
}

void SpeedMeter::measure(double seconds, std::int64_t step, const LossWork& work) {
  const double passed = seconds - at_;
  if (step == step_ || passed <= 0) return;  // counts with what follows
  const Sum now{passed, double(step - step_), work.points - work_.points,
                work.product_flops - work_.product_flops, 1e9 * peak_ * passed};
  total_ = {total_.seconds + now.seconds, total_.steps + now.steps, total_.points + now.points,
            total_.product_flops + now.product_flops, total_.peak_flops + now.peak_flops};
  latest_ = speed_of(now);
  at_ = seconds;
  step_ = step;
  work_ = work;
}

Speed SpeedMeter::speed_of(const Sum& sum) {
  if (sum.seconds <= 0) return {};
  return {{sum.steps / sum.seconds, sum.points / sum.seconds,
           1e-9 * sum.product_flops / sum.seconds,
           sum.peak_flops > 0 ? sum.product_flops / sum.peak_flops : Speed::unknown}};
}

}  // namespace pinn
