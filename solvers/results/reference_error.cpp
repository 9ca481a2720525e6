#include "solvers/results/reference_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/problem/needs.h"
#include "solvers/results/results.h"
#include "solvers/state/choices.h"

namespace pinn {
namespace {

/// Rest of a constant when its mean is taken out, as a share of it: rounding.
constexpr double rounding_of_reference = 1e-12;

/// True if adding what does not depend on the coordinates of the gauge to the fields changes it.
bool depends_on_gauge(const Expression& quantity, const std::vector<bool>& gauge) {
  for (const Need& need : needs(quantity)) {
    bool differentiated = false;
    for (std::size_t i = 0; i < gauge.size(); ++i)
      differentiated = differentiated || (gauge[i] && need.index[i] > 0);
    if (!differentiated) return true;
  }
  return false;
}

}  // namespace

ReferenceError::ReferenceError(const Run& run, std::shared_ptr<const Model> model,
                               std::shared_ptr<StepCache> cache)
    : model_(model), known_(known_of(run)) {
  for (std::size_t k = 0; k < known_.names.size(); ++k) {
    gauged_.push_back(!run.reference.gauge.empty() &&
                      depends_on_gauge(*known_.quantities[k], run.reference.gauge));
    std::vector<double> values = known_.values[k];
    const double whole = root_mean_square(values);
    if (gauged_[k]) take_means_out(values);
    const double size = root_mean_square(values);
    sizes_.push_back(size > rounding_of_reference * whole ? size : 0);
  }
  found_.emplace(std::move(model), known_.quantities, std::move(cache), device_of(run).device);
}

void ReferenceError::take_means_out(std::vector<double>& values) const {
  std::vector<double> sums(known_.group_count), weights(known_.group_count);
  for (std::size_t n = 0; n < values.size(); ++n) {
    sums[known_.groups[n]] += known_.weights[n] * values[n];
    weights[known_.groups[n]] += known_.weights[n];
  }
  for (std::size_t n = 0; n < values.size(); ++n)
    values[n] -= sums[known_.groups[n]] / weights[known_.groups[n]];
}

double ReferenceError::root_mean_square(const std::vector<double>& values) const {
  double sum = 0;
  for (std::size_t n = 0; n < values.size(); ++n) sum += known_.weights[n] * values[n] * values[n];
  return std::sqrt(sum);
}

/// `off`: what the model has, then how far that is from what is known.
Distance ReferenceError::distance(std::size_t k, std::vector<double> off) const {
  for (std::size_t n = 0; n < off.size(); ++n) off[n] -= known_.values[k][n];
  const auto lost = std::ranges::find_if_not(off, [](double v) { return std::isfinite(v); });
  const auto place_of = [&](auto n) {
    return place(known_, model_->problem(), std::size_t(n - off.begin()));
  };
  if (lost != off.end()) return {known_.names[k], NAN, sizes_[k] == 0, NAN, place_of(lost)};
  if (gauged_[k]) take_means_out(off);
  const auto largest = std::max_element(
      off.begin(), off.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  const bool absolute = sizes_[k] == 0;
  return {known_.names[k], root_mean_square(off) / (absolute ? 1 : sizes_[k]), absolute,
          std::fabs(*largest), place_of(largest)};
}

std::vector<Distance> ReferenceError::operator()(std::span<const double> p, ThreadPool& pool) {
  return distances((*found_)(p, known_.points, pool));
}

std::vector<Distance> ReferenceError::distances(std::vector<std::vector<double>> found) const {
  std::vector<Distance> distances;
  for (std::size_t k = 0; k < found.size(); ++k)
    distances.push_back(distance(k, std::move(found[k])));
  return distances;
}

}  // namespace pinn
