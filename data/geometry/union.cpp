#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/region.h"

namespace pinn {
namespace {

using Parts = std::vector<std::shared_ptr<const Region>>;

class Union : public Region {
 public:
  /// `keep` owns `parts`, which are plain regions.
  Union(Parts keep, std::vector<const Region*> parts)
      : keep_(std::move(keep)), parts_(std::move(parts)) {
    for (const Region* part : parts_) measure_ += part->measure();
  }

  int coordinates() const override { return parts_[0]->coordinates(); }
  int dimension() const override { return parts_[0]->dimension(); }
  double measure() const override { return measure_; }
  std::vector<Interval> bounds() const override {
    std::vector<Interval> all = parts_[0]->bounds();
    for (const Region* part : parts_) {
      const std::vector<Interval> some = part->bounds();
      for (std::size_t k = 0; k < all.size(); ++k)
        all[k] = {std::min(all[k].lower, some[k].lower), std::max(all[k].upper, some[k].upper)};
    }
    return all;
  }
  std::vector<const Region*> parts() const override { return parts_; }

  const Sampler& sampler() const override {
    throw InternalError({"a union was asked for points at once", "data/geometry/union.cpp",
                         "go through its parts()"});
  }

  std::shared_ptr<const Region> with(int coordinate, const Interval& values) const override {
    Parts others;
    for (const Region* part : parts_) others.push_back(part->with(coordinate, values));
    return make_union(std::move(others));
  }

  bool inside(std::span<const double> x, double tolerance) const override {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const Region* part) { return part->inside(x, tolerance); });
  }

  bool has_normal() const override {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const Region* part) { return part->has_normal(); });
  }

  void normal(std::span<const double> x, std::span<double> n) const override {
    double tolerance = 0;  // a point that was computed may miss its face by a rounding error
    for (double c : x) tolerance = std::max(tolerance, 1e-12 * std::fabs(c));
    for (const Region* part : parts_)
      if (part->inside(x, tolerance)) return part->normal(x, n);
    std::string at = "x =";
    for (double c : x) at += fmt::format(" {}", c);
    throw InternalError(
        {"a union was asked for the normal at a point outside of it", at, "ask inside() first"});
  }

 private:
  const Parts keep_;
  const std::vector<const Region*> parts_;
  double measure_ = 0;
};

void check_like(const Region& first, const Region& other) {
  const auto describe = [](const Region& r) {
    return fmt::format("dimension {} in {} coordinates", r.dimension(), r.coordinates());
  };
  if (first.coordinates() != other.coordinates() || first.dimension() != other.dimension())
    throw ConfigError({"the parts of a union differ in dimension",
                       describe(first) + " beside " + describe(other),
                       "write one requirement for each dimension"});
}

}  // namespace

std::shared_ptr<const Region> make_union(std::vector<std::shared_ptr<const Region>> parts) {
  if (parts.empty()) throw ConfigError({"a union has no parts", "", "name at least one region"});
  if (parts.size() == 1) return parts[0];

  std::vector<const Region*> plain;
  for (const auto& part : parts) {
    check_like(*parts[0], *part);
    for (const Region* p : part->parts()) plain.push_back(p);
  }
  auto all = std::make_shared<const Union>(std::move(parts), std::move(plain));
  if (!std::isfinite(all->measure()))
    throw ConfigError({"the measure of a union is larger than the largest number", "",
                       "choose units in which its sides are nearer to 1"});
  return all;
}

}  // namespace pinn
