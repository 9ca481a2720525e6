#include "solvers/train/reference_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "autograd/core/error.h"
#include "data/reference/reference.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/needs.h"
#include "solvers/train/train.h"

namespace pinn {
namespace {

/// What is left of a constant when its mean is taken out, as a share of it: rounding.
constexpr double rounding = 1e-12;

/// Enough for a layer in each coordinate, few enough to judge a model by often.
std::size_t points_for(std::size_t coordinates) {
  return coordinates == 1 ? 2048 : coordinates == 2 ? 8192 : 16384;
}

/// Whether adding what does not depend on the coordinates of the gauge to the fields changes it.
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

std::string distance_text(const Distance& d) {
  return fmt::format("{} L2 error of {}: {:.2e}{}, largest {:.1e} at {}",
                     d.absolute ? "absolute" : "relative", d.name, d.l2,
                     d.absolute ? " (its reference is zero)" : "", d.largest, d.where);
}

ReferenceError::ReferenceError(const Run& run, std::shared_ptr<const Model> model,
                               std::shared_ptr<StepCache> cache) {
  for (const Coordinate& c : run.problem.coordinates) coordinates_.push_back(c.name);
  if (!run.reference.file.empty())
    read_file(run);
  else
    evaluate_formulas(run);
  if (!run.reference.gauge.empty()) find_groups(run);
  for (std::size_t k = 0; k < names_.size(); ++k) {
    gauged_.push_back(depends_on_gauge(*quantities_[k], run.reference.gauge) &&
                      !run.reference.gauge.empty());
    const double whole = root_mean_square(values_[k]);
    if (gauged_[k]) take_means_out(values_[k]);
    const double size = root_mean_square(values_[k]);
    sizes_.push_back(size > rounding * whole ? size : 0);
  }
  found_.emplace(std::move(model), quantities_, std::move(cache), device_of(run).device);
}

void ReferenceError::read_file(const Run& run) {
  const Reference reference = load_reference(run.reference.file);
  points_.x = reference.points(coordinates_);
  points_.count = reference.count();
  weights_ = reference.weights();
  bound_ = reference.bound;
  for (const ReferenceQuantity& q : run.reference.quantities) {
    const auto found = reference.fields.find(q.name);
    if (found == reference.fields.end()) continue;
    names_.push_back(q.name);
    quantities_.push_back(q.expression);
    values_.push_back(found->second);
  }
  if (names_.empty())
    throw ConfigError({"the reference file has none of the problem's fields", run.reference.file,
                       "name its arrays as the fields are named"});
}

void ReferenceError::evaluate_formulas(const Run& run) {
  std::vector<ExpressionPtr> formulas;
  for (const ReferenceQuantity& q : run.reference.quantities) {
    if (!q.exact) continue;
    names_.push_back(q.name);
    quantities_.push_back(q.expression);
    formulas.push_back(q.exact);
  }
  if (formulas.empty()) return;
  std::vector<Interval> box;
  for (const Coordinate& c : run.problem.coordinates) box.push_back({c.lower, c.upper});
  WeightedPoints points =
      formula_points(formulas, box, points_for(box.size()), run.reference.gauge);
  points_.count = points.count;
  points_.x = std::move(points.x);
  weights_ = std::move(points.weights);
  for (std::size_t k = 0; k < formulas.size(); ++k) {
    const Evaluator exact(*formulas[k]);
    std::vector<double>& values = values_.emplace_back();
    for (std::size_t i = 0; i < points_.count; ++i) {
      values.push_back(
          exact({.coordinates = std::span(points_.x).subspan(i * box.size(), box.size())}));
      if (!std::isfinite(values.back()))
        throw ConfigError(
            {fmt::format("the exact {} is {} at {}", names_[k], values.back(), place(i)),
             "[reference] exact",
             "write a formula that is finite inside the domain, where(...) where it must be"});
    }
  }
}

/// Points that agree in all coordinates but those of the gauge are one group.
void ReferenceError::find_groups(const Run& run) {
  std::map<std::vector<double>, std::size_t> group_at;
  const std::size_t d = coordinates_.size();
  for (std::size_t n = 0; n < points_.count; ++n) {
    std::vector<double> others;
    for (std::size_t i = 0; i < d; ++i)
      if (!run.reference.gauge[i]) others.push_back(points_.x[n * d + i]);
    groups_.push_back(group_at.emplace(std::move(others), group_at.size()).first->second);
  }
  group_count_ = group_at.size();
  if (group_count_ == points_.count && points_.count > 1)
    throw ConfigError(
        {"no two points of the reference agree in the coordinates beside those of "
         "the gauge, so there are no means to take",
         "[reference] gauge", "give a reference on a grid, or leave the gauge out"});
}

void ReferenceError::take_means_out(std::vector<double>& values) const {
  std::vector<double> sums(group_count_), weights(group_count_);
  for (std::size_t n = 0; n < values.size(); ++n) {
    sums[groups_[n]] += weights_[n] * values[n];
    weights[groups_[n]] += weights_[n];
  }
  for (std::size_t n = 0; n < values.size(); ++n)
    values[n] -= sums[groups_[n]] / weights[groups_[n]];
}

double ReferenceError::root_mean_square(const std::vector<double>& values) const {
  double sum = 0;
  for (std::size_t n = 0; n < values.size(); ++n) sum += weights_[n] * values[n] * values[n];
  return std::sqrt(sum);
}

std::string ReferenceError::place(std::size_t point) const {
  std::string text;
  for (std::size_t i = 0; i < coordinates_.size(); ++i)
    text += fmt::format("{}{} = {:.4g}", i > 0 ? ", " : "", coordinates_[i],
                        points_.x[point * coordinates_.size() + i]);
  return text;
}

Distance ReferenceError::distance(std::size_t k, const std::vector<double>& found) const {
  std::vector<double> off = found;
  for (std::size_t n = 0; n < off.size(); ++n) off[n] -= values_[k][n];
  if (gauged_[k]) take_means_out(off);
  const auto largest = std::max_element(
      off.begin(), off.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  const bool absolute = sizes_[k] == 0;
  return {names_[k], root_mean_square(off) / (absolute ? 1 : sizes_[k]), absolute,
          std::fabs(*largest), place(std::size_t(largest - off.begin()))};
}

std::vector<Distance> ReferenceError::operator()(std::span<const double> p, ThreadPool& pool) {
  const std::vector<std::vector<double>> found = (*found_)(p, points_, pool);
  std::vector<Distance> distances;
  for (std::size_t k = 0; k < names_.size(); ++k) distances.push_back(distance(k, found[k]));
  return distances;
}

}  // namespace pinn
