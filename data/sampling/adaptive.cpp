#include "data/sampling/adaptive.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "autograd/core/error.h"

namespace pinn {
namespace {

/// The numbers of the `count` largest values, ascending; of equal ones the first.
std::vector<std::size_t> largest_of(std::span<const double> values, std::size_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  count = std::min(count, order.size());
  const auto middle = order.begin() + std::ptrdiff_t(count);
  std::nth_element(order.begin(), middle, order.end(), [&](std::size_t a, std::size_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
  order.erase(middle, order.end());
  std::sort(order.begin(), order.end());
  return order;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

double largest(std::span<const double> values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::fabs(x));
  return most;
}

Choice rad(const AdaptiveOptions& options, std::size_t count, std::span<const double> there,
           const Random& random) {
  return {{}, draw_by_weight(rad_density(there, options.power, options.floor), count, random)};
}

Choice rar(const AdaptiveOptions& options, std::size_t count, std::span<const double> here,
           std::span<const double> there) {
  const std::size_t most = std::max<std::size_t>(1, std::size_t(options.most * double(count)));
  const std::size_t added =
      std::min({most, there.size(), std::size_t(std::ceil(options.add * double(count)))});
  return {largest_of(here, std::min(here.size(), most - added)), largest_of(there, added)};
}

Choice r3(std::size_t count, std::span<const double> here, std::size_t candidates,
          const Random& random) {
  Choice choice;
  const double above = mean(here);
  for (std::size_t i = 0; i < here.size(); ++i)
    if (here[i] > above) choice.kept.push_back(i);
  const std::size_t kept = choice.kept.size();
  choice.taken =
      draw_by_weight(std::vector<double>(candidates, 1), count - std::min(count, kept), random);
  return choice;
}

}  // namespace

std::vector<std::string> adaptive_kinds() { return {"rad", "rar", "r3"}; }

Choice choose_points(const AdaptiveOptions& options, std::size_t count,
                     std::span<const double> here, std::span<const double> there,
                     const Random& random) {
  if (options.kind == "rad") return rad(options, count, there, random);
  if (options.kind == "rar") return rar(options, count, here, there);
  if (options.kind == "r3") return r3(count, here, there.size(), random);
  throw ConfigError({fmt::format("there is no adaptive sampling '{}'", options.kind), "sampling",
                     fmt::format("choose one of {}", fmt::join(adaptive_kinds(), ", "))});
}

std::vector<double> rad_density(std::span<const double> residuals, double power, double floor) {
  const double most = largest(residuals);  // which goes out again, and keeps powers finite
  if (most == 0) return std::vector<double>(residuals.size(), 1);
  std::vector<double> density;
  for (const double r : residuals) density.push_back(std::pow(r / most, power));
  const double average = mean(density);
  for (double& d : density) d = d / average + floor;
  return density;
}

/// The order of the keys -log(u) / weight is that of exponential clocks with these rates, of which
/// each time the first to ring is drawn.
std::vector<std::size_t> draw_by_weight(std::span<const double> weights, std::size_t count,
                                        const Random& random) {
  std::vector<double> keys;
  for (std::size_t i = 0; i < weights.size(); ++i)
    keys.push_back(std::log(random.uniform(i)) / weights[i]);
  return largest_of(keys, count);
}

double concentration(std::span<const double> numbers) {
  const double most = largest(numbers);
  std::vector<double> squares;
  for (const double x : numbers) squares.push_back(x / most * (x / most));
  const auto tenth = squares.begin() + std::ptrdiff_t((squares.size() + 9) / 10);
  std::nth_element(squares.begin(), tenth, squares.end(), std::greater<>());
  const double share = std::accumulate(squares.begin(), tenth, 0.0);
  return share / (share + std::accumulate(tenth, squares.end(), 0.0));
}

}  // namespace pinn
