#include "data/geometry/cut_sampler.h"

#include <algorithm>
#include <cmath>

namespace pinn {
namespace {

bool differ(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  constexpr double near = 1e-9;
  return !std::ranges::equal(a, b, [](const Interval& i, const Interval& j) {
    return std::fabs(i.lower - j.lower) < near && std::fabs(i.upper - j.upper) < near;
  });
}

}  // namespace

CutSampler::CutSampler(const Cut& cut) : cut_(cut) {
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

double CutSampler::measure() const {
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

std::optional<Sampler::Panels> CutSampler::panels() const {
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

bool CutSampler::sample(std::span<const double> cube, std::span<double> x,
                        std::span<double> n) const {
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
    n[std::size_t(cut_.space[k])] = cut_.piece            ? normal[k]
                                    : cut_.normal.empty() ? 0
                                                          : cut_.normal[std::size_t(cut_.space[k])];
  return true;
}

double CutSampler::lengths() const {
  double product = 1;
  for (const std::size_t c : others_)
    if (!cut_.box[c].fixed()) product *= cut_.box[c].upper - cut_.box[c].lower;
  return product;
}

std::vector<Interval> CutSampler::box_of_space() const {
  std::vector<Interval> box;
  for (const int c : cut_.space) box.push_back(cut_.box[std::size_t(c)]);
  return box;
}

std::shared_ptr<const Sampler> CutSampler::plane() const {
  const auto plane = make_box(box_of_space());
  return {plane, &plane->sampler()};
}

void CutSampler::set_others(std::span<const double> cube, std::span<double> x) const {
  std::size_t next = 0;
  for (const std::size_t c : others_) {
    const auto [lower, upper] = cut_.box[c];
    x[c] = lower;
    if (lower == upper) continue;
    const double at = lower + cube[next++] * (upper - lower);
    x[c] = std::clamp(at, std::nextafter(lower, upper), std::nextafter(upper, lower));
  }
}

bool CutSampler::meets(std::span<const double> place, std::span<double> x) const {
  for (std::size_t k = 0; k < place.size(); ++k) {
    const Interval i = cut_.box[std::size_t(cut_.space[k])];
    const bool lies = place[k] >= i.lower - tolerance_ && place[k] <= i.upper + tolerance_;
    if (cuts_ && !lies) return false;
    x[std::size_t(cut_.space[k])] = cuts_ && i.fixed() ? i.lower : place[k];
  }
  return std::ranges::all_of(cut_.conditions, [&](const auto& holds) { return holds(x); });
}

std::vector<Interval> CutSampler::kept_of(const std::vector<Interval>& all, double others) const {
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

double CutSampler::measure_at(std::span<double> x, SpreadPoints& cubes) const {
  const auto set = moving_->at(x, true);
  if (!set) return 0;
  if (!cuts_ && cut_.conditions.empty() && set->measure() > 0) return set->measure();
  constexpr long candidates = 512;
  std::vector<double> place(cut_.space.size());
  long kept = 0;
  for (long k = 0; k < candidates; ++k)
    kept +=
        set->sample(cubes.next().first(std::size_t(set->numbers())), place, {}) && meets(place, x);
  return set->whole() * double(kept) / candidates;
}

}  // namespace pinn
