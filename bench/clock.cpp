#include "bench/clock.h"

#include <time.h>

#include <algorithm>

namespace pinn::bench {
namespace {

double read(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

}  // namespace

Moment now() { return {read(CLOCK_MONOTONIC), read(CLOCK_PROCESS_CPUTIME_ID)}; }

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double least(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

double seconds(const std::function<void()>& act) {
  const double start = now().wall;
  act();
  return now().wall - start;
}

}  // namespace pinn::bench
