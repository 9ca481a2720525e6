#include "solvers/optimize/methods/line_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pinn {
namespace {

/// The minimizer in [low, high] of the cubic through both trials (their middle if there is none).
double cubic_minimizer(const Trial& a, const Trial& b, double low, double high) {
  const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step);
  const double d2 = std::sqrt(d1 * d1 - a.slope * b.slope);  // NaN when there is no minimum
  const Trial& l = a.step <= b.step ? a : b;
  const Trial& r = a.step <= b.step ? b : a;
  const double t =
      r.step - (r.step - l.step) * ((r.slope + d2 - d1) / (r.slope - l.slope + 2 * d2));
  return std::isfinite(t) ? std::clamp(t, low, high) : (low + high) / 2;
}

class Search {
 public:
  Search(const std::function<Trial(double)>& along, const Trial& start, const WolfeOptions& options)
      : along_(along), start_(start), options_(options), low_(start), high_(start) {}

  WolfeResult run(double first) {
    if (!bracket(first)) zoom();
    return {low_, satisfied_, evaluations_};
  }

 private:
  Trial evaluate(double step) {
    ++evaluations_;
    Trial t = along_(step);
    if (!std::isfinite(t.value) || !std::isfinite(t.slope))
      t.value = t.slope = std::numeric_limits<double>::infinity();
    return t;
  }
  bool trials_left() const { return evaluations_ <= options_.trials; }
  bool too_high(const Trial& t) const {
    return t.value > start_.value + options_.decrease * t.step * start_.slope;
  }
  bool flat(const Trial& t) const {
    return std::abs(t.slope) <= -options_.curvature * start_.slope;
  }
  bool accept(const Trial& t) {
    low_ = t;
    return satisfied_ = true;
  }
  void enclose(Trial a, Trial b) {
    if (a.value > b.value) std::swap(a, b);
    low_ = std::move(a);
    high_ = std::move(b);
  }

  /// Goes further until [low_, high_] holds a good step, or until it stands on one (then true).
  bool bracket(double first) {
    Trial before = start_, now = evaluate(first);
    for (int i = 0; i < options_.trials; ++i) {
      if (too_high(now) || (i > 1 && now.value >= before.value)) return enclose(before, now), false;
      if (flat(now)) return accept(now);
      if (now.slope >= 0) return enclose(before, now), false;
      const double nearest = now.step + 0.01 * (now.step - before.step);
      const double next = cubic_minimizer(before, now, nearest, 10 * now.step);
      before = std::exchange(now, evaluate(next));
    }
    return enclose(start_, now), true;
  }

  /// Narrows the bracket; low_ is its lower end, which satisfies the first condition or is the
  /// start.
  void zoom() {
    bool crowded = false;  // the trial before came too near to an end
    while (trials_left()) {
      const double left = std::min(low_.step, high_.step);
      const double right = std::max(low_.step, high_.step);
      const double width = right - left;
      if (width <= options_.resolution) return;
      double step = cubic_minimizer(low_, high_, left, right);
      const double margin = 0.1 * width;
      const bool near = std::min(right - step, step - left) < margin;
      const bool move_off = near && (crowded || step >= right || step <= left);
      if (move_off) step = right - step < step - left ? right - margin : left + margin;
      crowded = near && !move_off;
      if (narrow(evaluate(step))) return;
    }
  }

  /// Puts the trial in the place of an end; true when it satisfies both conditions.
  bool narrow(const Trial& t) {
    if (too_high(t) || t.value >= low_.value) return enclose(low_, t), false;
    if (flat(t)) return accept(t);
    if (t.slope * (high_.step - low_.step) >= 0) high_ = low_;
    low_ = t;
    return false;
  }

  const std::function<Trial(double)>& along_;
  const Trial& start_;
  const WolfeOptions& options_;
  Trial low_, high_;
  bool satisfied_ = false;
  long evaluations_ = 0;
};

}  // namespace

WolfeResult wolfe_search(const std::function<Trial(double)>& along, const Trial& start,
                         double first, const WolfeOptions& options) {
  return Search(along, start, options).run(first);
}

}  // namespace pinn
