#pragma once
#include <functional>
#include <vector>

namespace pinn::bench {

/// Seconds by the clock and of this process on all processors together. On a machine that is shared
/// the second is the one to trust, for one thread.
struct Moment {
  double wall = 0, cpu = 0;
};
Moment now();

double median(std::vector<double> values);
double least(const std::vector<double>& values);

/// Seconds by the clock for one call.
double seconds(const std::function<void()>& act);

}  // namespace pinn::bench
