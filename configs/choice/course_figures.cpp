// Figures of a course: how many waves it makes, how steep it is, and of what frequencies.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "configs/choice/course.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"

namespace pinn::config {
namespace {

constexpr double nothing_along = 1e-9;  ///< of the size of a field: no change

/// Sum over the places, each by its share.
template <class Value> double mean_over(const Course& course, Value value) {
  double sum = 0;
  for (std::size_t i = 0; i < course.x.size(); ++i) sum += course.share[i] * value(i);
  return sum;
}

}  // namespace

double Course::mean(int field, int order) const {
  const auto& u = fields[std::size_t(field)][std::size_t(order)];
  return mean_over(*this, [&](std::size_t i) { return u[i]; });
}

double Course::deviation(int field, int order) const {
  const auto& u = fields[std::size_t(field)][std::size_t(order)];
  const double middle = mean(field, order);
  return std::sqrt(
      mean_over(*this, [&](std::size_t i) { return (u[i] - middle) * (u[i] - middle); }));
}

double Course::lowest(int field) const {
  return *std::ranges::min_element(fields[std::size_t(field)][0]);
}
double Course::highest(int field) const {
  return *std::ranges::max_element(fields[std::size_t(field)][0]);
}

namespace {

double slope_size(const Course& course, int field) {
  const auto& slope = course.fields[std::size_t(field)][1];
  return std::sqrt(mean_over(course, [&](std::size_t i) { return slope[i] * slope[i]; }));
}

double steepest(const Course& course, int field) {
  double most = 0;
  for (const double slope : course.fields[std::size_t(field)][1])
    most = std::max(most, std::fabs(slope));
  return most;
}

/// The largest of a figure of the fields that change.
template <class Figure> double most_of(const Course& course, Figure figure) {
  double most = 0;
  for (int f = 0; f < int(course.fields.size()); ++f) {
    const double size = std::max(std::fabs(course.lowest(f)), std::fabs(course.highest(f)));
    if (course.highest(f) - course.lowest(f) > nothing_along * size)
      most = std::max(most, figure(f));
  }
  return most;
}

}  // namespace

double Course::waves() const {
  return most_of(*this, [&](int f) {
    return (x.back() - x.front()) / 2 * slope_size(*this, f) / deviation(f);
  });
}

double Course::steepness() const {
  return most_of(*this, [&](int f) {
    return (x.back() - x.front()) * steepest(*this, f) / (highest(f) - lowest(f));
  });
}

double Course::unevenness() const {
  return most_of(*this, [&](int f) { return steepest(*this, f) / slope_size(*this, f); });
}

std::vector<double> Course::spectrum() const {
  const double middle = (x.front() + x.back()) / 2, half = (x.back() - x.front()) / 2;
  const std::size_t count = std::size_t(4 * waves()) + 20;
  std::vector<double> power(count, 0.0);
  for (int f = 0; f < int(fields.size()); ++f) {
    const double size = deviation(f), average = mean(f);
    if (!(size > nothing_along * std::fabs(average))) continue;
    std::vector<std::complex<double>> turned, turn;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = (x[i] - middle) / half, fade = (1 + std::cos(std::numbers::pi * at)) / 2;
      turned.emplace_back(share[i] * fade * (fields[std::size_t(f)][0][i] - average) / size);
      turn.push_back(std::polar(1.0, at));
    }
    for (std::size_t k = 0; k < count; ++k) {
      power[k] += std::norm(std::accumulate(turned.begin(), turned.end(), std::complex<double>()));
      for (std::size_t i = 0; i < turned.size(); ++i) turned[i] *= turn[i];
    }
  }
  const double largest = std::ranges::max(power);
  for (double& v : power) v /= largest > 0 ? largest : 1;
  return power;
}

double Course::size(const ExpressionPtr& formula) const {
  const Evaluator value(*substitute_fields(formula, std::vector<ExpressionPtr>(fields.size())));
  return std::sqrt(mean_over(*this, [&](std::size_t i) {
    const double v =
        value({.coordinates = std::span(&x[i], 1), .field = [&](int f, const MultiIndex& order) {
                 const auto& all = fields[std::size_t(f)];
                 return order[0] < all.size() ? all[order[0]][i] : 0.0;
               }});
    return std::isfinite(v) ? v * v : 0.0;
  }));
}

}  // namespace pinn::config
