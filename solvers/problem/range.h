#pragma once
#include <array>
#include <span>
#include <vector>

#include "data/geometry/region.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/values.h"

namespace pinn {

/// The numbers that a formula of the coordinates takes on a box: about from where to where. Each op
/// is tried at a few numbers between the ends of its inputs - the ends, zero, where ops turn, and
/// some between - so a peak of any width shows on every box that holds it. What depends on a
/// coordinate twice may seem to vary more than it does, the less so the smaller the box; what
/// divides by an interval around zero is unbounded.
///
///   errors   InternalError for a formula of anything but numbers and coordinates
class RangeEvaluator {
 public:
  explicit RangeEvaluator(const Expression& formula);
  /// One interval per coordinate; fixed ones are points.
  Interval operator()(std::span<const Interval> box) const;
  /// Ops, numbers and coordinates: what one evaluation costs.
  std::size_t size() const { return steps_.size(); }

 private:
  struct Step {
    Operation operation = nullptr;
    std::size_t inputs = 0;
    std::array<std::size_t, 3> from{};  ///< steps
    int coordinate = -1;
    double number = 0;
  };
  std::vector<Step> steps_;
};

}  // namespace pinn
