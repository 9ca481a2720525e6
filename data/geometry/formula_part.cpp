#include <algorithm>

#include "data/geometry/formula.h"

namespace pinn {

/// Leaves no step of what is nothing: nothing joined to a set is the set, less it too, and what it
/// cuts is nothing.
ShapeFormula::Part ShapeFormula::part_of(const std::vector<bool>& leaves) const {
  Part part;
  std::vector<std::size_t> stack;  // where the steps of each operand begin
  for (const Step& step : steps_) {
    if (step.act == Act::leaf) {
      stack.push_back(part.steps.size());
      if (leaves[step.leaf]) part.steps.push_back(step);
      continue;
    }
    const std::size_t b = stack.back();
    stack.pop_back();
    const bool has_a = stack.back() < b, has_b = b < part.steps.size();
    if (has_a && has_b)
      part.steps.push_back({step.act, 0, 0});
    else if (step.act == Act::intersect || (step.act == Act::subtract && !has_a))
      part.steps.resize(stack.back());
  }
  std::size_t depth = 0;
  for (const Step& step : part.steps) {
    depth = step.act == Act::leaf ? depth + 1 : depth - 1;
    part.depth = std::max(part.depth, depth);
  }
  return part;
}

}  // namespace pinn
