#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/cells.h"
#include "data/geometry/formula.h"
#include "data/geometry/measure.h"
#include "data/geometry/samplers.h"

namespace pinn {
namespace {

using Act = ShapeFormula::Act;

constexpr std::size_t anywhere = std::size_t(-1);

/// Candidates of one leaf, or of a box, and the steps that they must lie within and without.
struct Share {
  shapes::SamplerPtr from;
  std::size_t within = anywhere;
  std::vector<std::size_t> without = {};
};

using Shares = std::vector<Share>;

/// Set that a step completes: its shares are disjoint, and together all of it where it is bounded.
struct Operand {
  std::size_t step;
  bool bounded = true;
  Shares shares = {};
};

double measure(const std::vector<Interval>& box) {
  double product = 1;
  for (const Interval& i : box) product *= std::max(i.upper - i.lower, 0.0);
  return std::isnan(product) ? 0 : product;  // 0 times infinity: nothing
}

Operand united(Operand a, Operand b) {
  for (Share& share : b.shares) {
    share.without.push_back(a.step);
    a.shares.push_back(std::move(share));
  }
  a.bounded = a.bounded && b.bounded;
  return a;
}

/// The shares of one operand, as far as they lie within a step; of its box where it has none.
Operand cut(Operand from, std::size_t step, const std::vector<Interval>& box) {
  if (!from.bounded) {
    const double size = measure(box);
    if (!std::isfinite(size)) return {step, false};
    from.shares.clear();
    if (size > 0) from.shares = {{shapes::box_interior(box)}};
  }
  for (Share& share : from.shares) share.within = step;
  return {step, true, std::move(from.shares)};
}

Shares shares_of(const ShapeFormula& formula) {
  const auto boxes = formula.bounds();
  std::vector<Operand> stack;
  for (std::size_t k = 0; k < formula.steps().size(); ++k) {
    const auto& step = formula.steps()[k];
    if (step.act == Act::leaf) {
      const ShapePtr& leaf = formula.leaves()[step.leaf];
      stack.push_back({k, leaf->bounded()});
      if (leaf->bounded()) stack.back().shares = {{leaf->interior()}};
      continue;
    }
    Operand b = std::move(stack.back());
    stack.pop_back();
    Operand& a = stack.back();
    if (step.act == Act::unite) {
      a = united(std::move(a), std::move(b));
      a.step = k;
      continue;
    }
    const bool second = step.act == Act::intersect && b.bounded &&
                        (!a.bounded || measure(boxes[b.step]) < measure(boxes[a.step]));
    a = cut(std::move(second ? b : a), k, boxes[k]);
  }
  return std::move(stack.back().shares);
}

class FormulaInterior : public Sampler {
 public:
  FormulaInterior(std::shared_ptr<const ShapeFormula> formula, Shares shares)
      : formula_(std::move(formula)), shares_(std::move(shares)) {
    double sum = 0;
    for (const Share& share : shares_) {
      sums_.push_back(sum += share.from->whole());
      numbers_ = std::max(numbers_, share.from->numbers());
    }
  }
  int dimension() const override { return formula_->dimension(); }
  int numbers() const override { return numbers_; }
  double whole() const override { return sums_.back(); }
  bool keeps_all() const override { return false; }
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    const auto [k, first] = shapes::share_of(sums_, cube[0]);
    const Share& share = shares_[k];
    double own[128];
    std::copy(cube.begin(), cube.end(), own);
    own[0] = first;
    if (!share.from->sample({own, std::size_t(share.from->numbers())}, x, n)) return false;
    if (share.within != anywhere && !formula_->in_step(share.within, x).closed) return false;
    return std::none_of(share.without.begin(), share.without.end(),
                        [&](std::size_t step) { return formula_->in_step(step, x).closed; });
  }

 private:
  const std::shared_ptr<const ShapeFormula> formula_;
  const Shares shares_;
  std::vector<double> sums_;
  int numbers_ = 1;
};

/// Sampler of what fills little of its shapes: out of cells that hold it, by the distance, which is
/// a bound.
std::shared_ptr<const Sampler> from_cells(std::shared_ptr<const ShapeFormula> formula) {
  const auto cover = [formula](std::span<const double> center, double radius) {
    const double distance = formula->nearest(center).distance;
    return distance > radius ? Cover::none : distance < -radius ? Cover::whole : Cover::part;
  };
  const auto inside = [formula](std::span<const double> x) {
    return formula->in_step(formula->steps().size() - 1, x).closed;
  };
  return make_cell_sampler(formula->bounds().back(), cover, inside);
}

}  // namespace

std::shared_ptr<const Sampler> formula_interior(std::shared_ptr<const ShapeFormula> formula) {
  if (!formula->bounded())
    throw ConfigError({"a region reaches to infinity", "", "cut it to a bounded shape"});
  Shares shares = shares_of(*formula);
  if (!shares.empty()) {
    auto sampler = std::make_shared<FormulaInterior>(formula, std::move(shares));
    constexpr long few = 1 << 12;
    const double share = kept_share(*sampler, few);
    if (share > 0.2) return sampler;
    if (keeps_any(*sampler, 1 << 16)) {
      if (formula->dimension() > 3 || formula->distance_kind() == DistanceKind::none)
        return sampler;
      auto cells = from_cells(formula);
      if (kept_share(*cells, few) > share) return cells;
      return sampler;
    }
  }
  throw ConfigError({"nothing is left of a region: none of 65536 points lies in it", "",
                     "see whether its shapes meet where they should"});
}

}  // namespace pinn
