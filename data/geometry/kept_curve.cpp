#include <algorithm>
#include <cmath>

#include "data/geometry/samplers.h"
#include "data/geometry/surface_test.h"

namespace pinn {
namespace {

constexpr int coarse = 10, fine = 20;  ///< halvings of a part of which nothing, or little is known

/// From where to where on a curve, as shares of its length, and on which side the whole lies.
struct Stretch {
  double from, to;
  int side;
};

/// Walk along a curve to where the answer of a test changes. A part is halved until other surfaces
/// are farther away than it is long, and an end of a stretch is bisected.
class Walk {
 public:
  Walk(const Sampler& curve, const SurfaceTest& test, std::size_t leaf)
      : curve_(curve), test_(test), leaf_(leaf) {}

  std::vector<Stretch> stretches() {
    constexpr int parts = 16;
    Stop from = stop(0);
    found_ = {{0, 1, from.side}};
    for (int k = 1; k <= parts; ++k) {
      const Stop to = stop(double(k) / parts);
      search(from, to, 0);
      from = to;
    }
    std::erase_if(found_, [](const Stretch& s) { return s.side == 0 || s.to - s.from < 1e-12; });
    return std::move(found_);
  }

 private:
  struct Stop {
    double at;
    int side;
    std::vector<double> x;
  };

  Stop stop(double at) const {
    const double cube[] = {std::clamp(at, 1e-15, 1 - 1e-15)};
    const std::size_t d = std::size_t(test_.formula().dimension());
    std::vector<double> x(d), n(d);
    curve_.sample(cube, x, n);
    return {at, test_(leaf_, x, n), x};
  }

  void change(Stop from, Stop to) {
    const int before = from.side, after = to.side;
    for (int k = 0; k < 60 && to.at - from.at > 0; ++k) {
      Stop middle = stop((from.at + to.at) / 2);
      if (middle.at <= from.at || middle.at >= to.at) break;
      (middle.side == before ? from : to) = std::move(middle);
    }
    found_.back().to = to.at;
    found_.push_back({to.at, 1, after});
  }

  void search(const Stop& from, const Stop& to, int halvings) {
    const Stop middle = stop((from.at + to.at) / 2);
    const double reach = curve_.whole() * (to.at - from.at) / 2;
    const auto [length, is_known] = test_.reach(leaf_, middle.x);
    const bool is_whole = shapes::gap(from.x, middle.x) <= 1.001 * reach &&
                          shapes::gap(middle.x, to.x) <= 1.001 * reach;
    if (is_whole && is_known && length > 1.001 * reach) return;
    if (halvings < (is_known ? fine : coarse)) {
      search(from, middle, halvings + 1);
      search(middle, to, halvings + 1);
      return;
    }
    if (from.side != middle.side) change(from, middle);
    if (middle.side != to.side) change(middle, to);
  }

  const Sampler& curve_;
  const SurfaceTest& test_;
  const std::size_t leaf_;
  std::vector<Stretch> found_;
};

class KeptCurve : public Sampler {
 public:
  KeptCurve(std::shared_ptr<const Sampler> curve, std::vector<Stretch> stretches)
      : curve_(std::move(curve)), stretches_(std::move(stretches)) {
    double sum = 0;
    for (const Stretch& s : stretches_) sums_.push_back(sum += s.to - s.from);
  }
  int dimension() const override { return curve_->dimension(); }
  int numbers() const override { return 1; }
  double whole() const override { return curve_->whole() * sums_.back(); }
  bool keeps_all() const override { return true; }
  std::optional<Panels> panels() const override {
    const auto of_curve = curve_->panels();
    if (!of_curve) return {};
    Panels panels(1);
    double before = 0;
    for (std::size_t k = 0; k < stretches_.size(); ++k) {
      const auto [from, to, side] = stretches_[k];
      for (const Interval& i : (*of_curve)[0]) {
        const double lower = std::max(i.lower, from), upper = std::min(i.upper, to);
        if (upper > lower)
          panels[0].push_back(
              {(before + lower - from) / sums_.back(), (before + upper - from) / sums_.back()});
      }
      before = sums_[k];
    }
    return panels;
  }
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    const auto [k, share] = shapes::share_of(sums_, cube[0]);
    const auto [from, to, side] = stretches_[k];
    const double at[] = {std::clamp(from + share * (to - from), 1e-16, 1 - 1e-16)};
    curve_->sample(at, x, n);
    for (double& c : n) c *= side;
    return true;
  }
  std::string patch() const override { return curve_->patch(); }

 private:
  const std::shared_ptr<const Sampler> curve_;
  const std::vector<Stretch> stretches_;
  std::vector<double> sums_;
};

}  // namespace

std::shared_ptr<const Sampler> kept_curve(std::shared_ptr<const Sampler> curve,
                                          std::shared_ptr<const SurfaceTest> test,
                                          std::size_t leaf) {
  std::vector<Stretch> stretches = Walk(*curve, *test, leaf).stretches();
  if (stretches.empty()) return nullptr;
  return std::make_shared<KeptCurve>(std::move(curve), std::move(stretches));
}

}  // namespace pinn
