#include "data/geometry/cut.h"

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/measure.h"
#include "data/geometry/moving_set.h"

namespace pinn {
namespace {

double size_of(const std::vector<Interval>& bounds) {
  double size = 0;
  for (const Interval& i : bounds) size = std::max(size, i.upper - i.lower);
  return size;
}

/// Of what is unbounded: where it lies.
double nearness(const SpatialShape& shape) {
  const double size = size_of(shape.bounds());
  return on_surface_share * (std::isfinite(size) ? size : 1);
}

/// Points of a cut: of space first, then of the other coordinates that are free.
class CutSampler : public Sampler {
 public:
  explicit CutSampler(const Cut& cut) : cut_(cut) {
    for (int c = 0; c < dimension(); ++c)
      if (std::ranges::find(cut.space, c) == cut.space.end()) others_.push_back(std::size_t(c));
    for (const std::size_t c : others_)
      if (!cut.box[c].fixed()) ++free_;
    if (cut.body.moves())
      moving_.emplace(cut.body, cut.piece, cut.box, box_of_space());
    else
      set_ = !cut.body ? plane() : cut.piece ? cut.piece->fixed : cut.body->interior();
    if (!cut.body) return;
    tolerance_ = nearness(cut.body.example());
    const std::vector<Interval> all = cut.body.bounds(cut.box);
    for (std::size_t k = 0; k < cut.space.size(); ++k) {
      const Interval mine = cut.box[std::size_t(cut.space[k])];
      cuts_ |= mine.lower > all[k].lower + tolerance_ || mine.upper < all[k].upper - tolerance_;
    }
  }

  int dimension() const override { return int(cut_.box.size()); }
  int numbers() const override { return of_space() + free_; }
  double whole() const override { return (moving_ ? moving_->whole() : set_->whole()) * lengths(); }
  bool keeps_all() const override {
    return !moving_ && !cuts_ && cut_.conditions.empty() && set_->keeps_all();
  }
  /// Of what moves: integrated over the other coordinates.
  double measure() const override {
    if (!moving_) return Sampler::measure();
    SpreadPoints cubes(moving_->numbers());
    std::vector<double> x(cut_.box.size());
    double sum = 0;
    for (const CubePoint& point : cube_rule(free_)) {
      set_others(point.place, x);
      sum += point.weight * measure_at(x, cubes);
    }
    return sum * lengths();
  }

  /// Of what does not move: those of the body, cut the same way at all values of the others.
  std::optional<Panels> panels() const override {
    std::optional<Panels> all = moving_ ? std::nullopt : set_->panels();
    if (!all) return {};
    if (cuts_ || !cut_.conditions.empty()) {
      if (of_space() > 1) return {};
      if (of_space() == 1) {
        const std::vector<Interval> curve = (*all)[0];
        (*all)[0] = kept_of(curve, 0.5);
        for (const double others : {0.01, 0.33, 0.99})
          if (free_ > 0 && differ((*all)[0], kept_of(curve, others))) return {};
      }
    }
    all->resize(all->size() + std::size_t(free_), {{0, 1}});
    return all;
  }

  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    const std::size_t d = cut_.space.size();
    std::vector<double> place(d), normal(n.empty() ? 0 : d);
    set_others(cube.subspan(std::size_t(of_space())), x);
    const std::span<const double> own = cube.first(std::size_t(of_space()));
    if (!(moving_ ? moving_->sample(own, x, place, normal) : set_->sample(own, place, normal)))
      return false;
    if (!meets(place, x)) return false;
    if (n.empty()) return true;
    std::ranges::fill(n, 0.0);
    for (std::size_t k = 0; k < d; ++k)
      n[std::size_t(cut_.space[k])] = cut_.piece ? normal[k]
                                      : cut_.normal.empty()
                                          ? 0
                                          : cut_.normal[std::size_t(cut_.space[k])];
    return true;
  }

 private:
  int of_space() const { return moving_ ? moving_->numbers() : set_->numbers(); }

  /// Of the other coordinates that are free.
  double lengths() const {
    double product = 1;
    for (const std::size_t c : others_)
      if (!cut_.box[c].fixed()) product *= cut_.box[c].upper - cut_.box[c].lower;
    return product;
  }

  std::vector<Interval> box_of_space() const {
    std::vector<Interval> box;
    for (const int c : cut_.space) box.push_back(cut_.box[std::size_t(c)]);
    return box;
  }

  std::shared_ptr<const Sampler> plane() const {
    const auto plane = make_box(box_of_space());
    return {plane, &plane->sampler()};
  }

  void set_others(std::span<const double> cube, std::span<double> x) const {
    std::size_t next = 0;
    for (const std::size_t c : others_) {
      const auto [lower, upper] = cut_.box[c];
      x[c] = lower;
      if (lower == upper) continue;
      const double at = lower + cube[next++] * (upper - lower);
      x[c] = std::clamp(at, std::nextafter(lower, upper), std::nextafter(upper, lower));
    }
  }

  /// Whether a place lies in the box and meets the conditions; x has it then. It is put where the
  /// box fixes a coordinate.
  bool meets(std::span<const double> place, std::span<double> x) const {
    for (std::size_t k = 0; k < place.size(); ++k) {
      const Interval i = cut_.box[std::size_t(cut_.space[k])];
      const bool lies = place[k] >= i.lower - tolerance_ && place[k] <= i.upper + tolerance_;
      if (cuts_ && !lies) return false;
      x[std::size_t(cut_.space[k])] = cuts_ && i.fixed() ? i.lower : place[k];
    }
    return std::ranges::all_of(cut_.conditions, [&](const auto& holds) { return holds(x); });
  }

  static bool differ(const std::vector<Interval>& a, const std::vector<Interval>& b) {
    constexpr double near = 1e-9;
    return !std::ranges::equal(a, b, [](const Interval& i, const Interval& j) {
      return std::fabs(i.lower - j.lower) < near && std::fabs(i.upper - j.upper) < near;
    });
  }

  /// What is kept of a curve at a value of all other coordinates, as shares of their intervals; its
  /// ends are found by bisection. Stretches of less than a thousandth of an interval may be missed.
  std::vector<Interval> kept_of(const std::vector<Interval>& all, double others) const {
    std::vector<double> place(cut_.space.size()), x(cut_.box.size());
    set_others(std::vector<double>(others_.size(), others), x);
    const auto is_kept = [&](double at) {
      return set_->sample({&at, 1}, place, {}) && meets(place, x);
    };
    const auto change = [&](double from, double to, bool before) {
      for (int k = 0; k < 60; ++k) {
        const double middle = (from + to) / 2;
        (is_kept(middle) == before ? from : to) = middle;
      }
      return to;
    };
    constexpr int steps = 1000;
    std::vector<Interval> kept;
    for (const Interval& i : all) {
      const auto stop = [&](int k) {  // the ends themselves may be on an edge
        return std::lerp(i.lower, i.upper, std::clamp(double(k) / steps, 1e-9, 1 - 1e-9));
      };
      bool before = is_kept(stop(0));
      if (before) kept.push_back(i);
      for (int k = 1; k <= steps; ++k) {
        if (is_kept(stop(k)) == before) continue;
        const double at = change(stop(k - 1), stop(k), before);
        if (before)
          kept.back().upper = at;
        else
          kept.push_back({at, i.upper});
        before = !before;
      }
    }
    return kept;
  }

  /// Of space, at values of the other coordinates.
  double measure_at(std::span<double> x, SpreadPoints& cubes) const {
    const auto set = moving_->at(x, true);
    if (!set) return 0;
    if (!cuts_ && cut_.conditions.empty() && set->measure() > 0) return set->measure();
    constexpr long candidates = 512;
    std::vector<double> place(cut_.space.size());
    long kept = 0;
    for (long k = 0; k < candidates; ++k)
      kept += set->sample(cubes.next().first(std::size_t(set->numbers())), place, {}) &&
              meets(place, x);
    return set->whole() * double(kept) / candidates;
  }

  const Cut& cut_;
  std::shared_ptr<const Sampler> set_;  ///< of a body that does not move, or of a plane
  std::optional<MovingSet> moving_;
  std::vector<std::size_t> others_;
  int free_ = 0;
  bool cuts_ = false;
  double tolerance_ = 0;
};

/// A body at one value of all that it depends on is one that does not move.
Cut frozen(Cut cut) {
  const auto fixed = [&](int c) { return cut.box[std::size_t(c)].fixed(); };
  if (!cut.body.moves() || cut.piece || !std::ranges::all_of(cut.body.depends(), fixed)) return cut;
  std::vector<double> x;
  for (const Interval& i : cut.box) x.push_back(i.lower);
  cut.body = cut.body.at(x);
  return cut;
}

class CutRegion : public Region {
 public:
  explicit CutRegion(Cut cut)
      : cut_(frozen(std::move(cut))),
        sampler_(cut_),
        measure_(cut_.body.moves() ? sampler_.measure() : measure_of(sampler_)) {
    for (std::size_t c = 0; c < cut_.box.size(); ++c) {
      const bool of_surface = cut_.piece && std::ranges::count(cut_.space, int(c)) > 0;
      dimension_ += of_surface || !cut_.box[c].fixed();
    }
    dimension_ -= cut_.piece.has_value();
  }

  int coordinates() const override { return int(cut_.box.size()); }
  int dimension() const override { return dimension_; }
  double measure() const override { return measure_; }
  const Sampler& sampler() const override { return sampler_; }

  std::vector<Interval> bounds() const override {
    std::vector<Interval> all = cut_.box;
    if (!cut_.body) return all;
    const std::vector<Interval> shape = cut_.body.bounds(cut_.box);
    for (std::size_t k = 0; k < cut_.space.size(); ++k) {
      Interval& i = all[std::size_t(cut_.space[k])];
      if (!i.fixed()) i = {std::max(i.lower, shape[k].lower), std::min(i.upper, shape[k].upper)};
    }
    return all;
  }

  std::shared_ptr<const Region> with(int coordinate, const Interval& values) const override {
    Cut other = cut_;
    other.box[std::size_t(coordinate)] = values;
    return std::make_shared<const CutRegion>(std::move(other));
  }

  bool inside(std::span<const double> x, double tolerance) const override {
    for (std::size_t c = 0; c < cut_.box.size(); ++c) {
      const auto [lower, upper] = cut_.box[c];
      const double near =
          lower == upper ? std::max(tolerance, 0.0) : tolerance;  // it has no inside
      if (!(x[c] >= lower - near && x[c] <= upper + near)) return false;
    }
    for (const auto& holds : cut_.conditions)
      if (!holds(x)) return false;
    if (!cut_.body) return true;
    const std::vector<double> place = place_of(x, cut_.space);
    const ShapePtr shape = cut_.body.at(x);
    if (shape->distance_kind() == DistanceKind::none) return shape->inside(place);
    const double distance = shape->distance(place);
    const double near = tolerance + nearness(*shape);
    return cut_.piece ? std::fabs(distance) <= near : distance <= tolerance;
  }

  bool has_normal() const override { return cut_.piece || !cut_.normal.empty(); }
  Body surface_of() const override { return cut_.piece ? cut_.body : Body(); }

  void normal(std::span<const double> x, std::span<double> n) const override {
    if (!has_normal())
      throw InternalError({"a region without a normal was asked for it", "data/geometry/cut.cpp",
                           "ask has_normal() first"});
    if (!cut_.piece) {
      std::copy(cut_.normal.begin(), cut_.normal.end(), n.begin());
      return;
    }
    std::vector<double> of_space(cut_.space.size());
    cut_.body.at(x)->normal(place_of(x, cut_.space), of_space);
    std::ranges::fill(n, 0.0);
    for (std::size_t k = 0; k < of_space.size(); ++k) n[std::size_t(cut_.space[k])] = of_space[k];
  }

 private:
  const Cut cut_;
  const CutSampler sampler_;
  const double measure_;
  int dimension_ = 0;
};

}  // namespace

std::vector<double> place_of(std::span<const double> x, const std::vector<int>& space) {
  std::vector<double> place;
  for (const int c : space) place.push_back(x[std::size_t(c)]);
  return place;
}

bool nearly_inside(const SpatialShape& shape, std::span<const double> place) {
  if (shape.inside(place)) return true;
  return shape.distance_kind() != DistanceKind::none && shape.distance(place) <= nearness(shape);
}

bool nearly_on_surface(const SpatialShape& shape, std::span<const double> place) {
  return shape.distance_kind() != DistanceKind::none &&
         std::fabs(shape.distance(place)) <= nearness(shape);
}

Body Region::surface_of() const { return {}; }

std::shared_ptr<const Region> make_cut(Cut cut) {
  const auto region = std::make_shared<const CutRegion>(std::move(cut));
  return region->measure() > 0 ? region : nullptr;
}

}  // namespace pinn
