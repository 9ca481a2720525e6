#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/region.h"
#include "data/geometry/shape.h"

namespace pinn {
namespace {

class BoxSampler : public Sampler {
 public:
  BoxSampler(const std::vector<Interval>& intervals, const std::vector<double>& normal)
      : intervals_(intervals), normal_(normal) {
    for (const Interval& i : intervals_) {
      if (i.fixed()) continue;
      ++numbers_;
      whole_ *= i.upper - i.lower;
    }
  }

  int dimension() const override { return static_cast<int>(intervals_.size()); }
  int numbers() const override { return numbers_; }
  double whole() const override { return whole_; }
  bool keeps_all() const override { return true; }
  std::optional<Panels> panels() const override { return Panels(std::size_t(numbers_), {{0, 1}}); }
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    std::size_t next = 0;
    for (std::size_t k = 0; k < intervals_.size(); ++k) {
      const auto [lower, upper] = intervals_[k];
      x[k] = lower;
      if (lower == upper) continue;
      // Rounding may reach a bound, where a residual need not be defined: stay one number inside.
      const double at = lower + cube[next++] * (upper - lower);
      x[k] = std::clamp(at, std::nextafter(lower, upper), std::nextafter(upper, lower));
    }
    if (!n.empty()) std::copy(normal_.begin(), normal_.end(), n.begin());
    return true;
  }

 private:
  const std::vector<Interval>& intervals_;  ///< of the box
  const std::vector<double>& normal_;
  int numbers_ = 0;
  double whole_ = 1;
};

class Box : public Region {
 public:
  Box(std::vector<Interval> intervals, std::vector<double> normal)
      : intervals_(std::move(intervals)),
        normal_(std::move(normal)),
        sampler_(intervals_, normal_) {}

  int coordinates() const override { return static_cast<int>(intervals_.size()); }
  int dimension() const override { return sampler_.numbers(); }
  double measure() const override { return sampler_.whole(); }
  std::vector<Interval> bounds() const override { return intervals_; }

  const Sampler& sampler() const override { return sampler_; }
  std::shared_ptr<const Region> with(int coordinate, const Interval& values) const override {
    std::vector<Interval> other = intervals_;
    other[std::size_t(coordinate)] = values;
    return make_box(std::move(other), normal_);
  }

  bool inside(std::span<const double> x, double tolerance) const override {
    for (std::size_t k = 0; k < intervals_.size(); ++k) {
      const auto [lower, upper] = intervals_[k];
      const double near =
          lower == upper ? std::max(tolerance, 0.0) : tolerance;          // it has no inside
      if (!(x[k] >= lower - near && x[k] <= upper + near)) return false;  // nor is NaN
    }
    return true;
  }

  bool has_normal() const override { return !normal_.empty(); }

  void normal(std::span<const double>, std::span<double> n) const override {
    if (normal_.empty())
      throw InternalError({"a box without a normal was asked for it", "data/geometry/box.cpp",
                           "ask has_normal() first"});
    std::copy(normal_.begin(), normal_.end(), n.begin());
  }

 private:
  const std::vector<Interval> intervals_;
  const std::vector<double> normal_;
  const BoxSampler sampler_;
};

void check_interval(const Interval& i, std::size_t k) {
  const auto fail = [&](const char* what, const char* fix) {
    throw ConfigError(
        {what, fmt::format("coordinate {}, interval [{}, {}]", k + 1, i.lower, i.upper), fix});
  };
  if (!std::isfinite(i.lower) || !std::isfinite(i.upper))
    fail("the bounds of a coordinate must be finite", "give two finite numbers");
  if (i.lower > i.upper) fail("an interval's lower end lies above its upper end", "swap the two");
  if (!std::isfinite(i.upper - i.lower))
    fail("an interval is longer than the largest number", "choose a larger unit");
  if (!i.fixed() && std::nextafter(i.lower, i.upper) == i.upper)
    fail("an interval has no number between its ends", "widen it, or make its ends equal");
}

void check_normal(const std::vector<double>& normal, const std::vector<Interval>& intervals) {
  const char* where = "the normal given to make_box";
  if (normal.size() != intervals.size())
    throw ConfigError({fmt::format("a normal has {} components for {} coordinates", normal.size(),
                                   intervals.size()),
                       where, "give one component per coordinate"});
  double square = 0;
  for (std::size_t k = 0; k < normal.size(); ++k) {
    square += normal[k] * normal[k];
    if (normal[k] != 0 && !intervals[k].fixed())
      throw ConfigError({fmt::format("a normal points along coordinate {}, which is free", k + 1),
                         where, "a normal is zero in the coordinates that vary"});
  }
  if (!(std::fabs(square - 1) < 1e-12))
    throw ConfigError({fmt::format("a normal's length squared is {}, not 1", square), where,
                       "divide the normal by its length"});
}

}  // namespace

std::shared_ptr<const Region> make_box(std::vector<Interval> intervals,
                                       std::vector<double> normal) {
  if (intervals.empty())
    throw ConfigError({"a box has no coordinates", "", "give one interval per coordinate"});
  for (std::size_t k = 0; k < intervals.size(); ++k) check_interval(intervals[k], k);
  if (!normal.empty()) check_normal(normal, intervals);

  auto box = std::make_shared<const Box>(std::move(intervals), std::move(normal));
  if (!std::isnormal(box->measure()))
    throw ConfigError({fmt::format("a box has the measure {}", box->measure()), "",
                       "choose units in which its sides are nearer to 1"});
  return box;
}

}  // namespace pinn
