// All that a problem asks, by field: found once, for all who look field by field.
#include <algorithm>
#include <map>

#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"

namespace pinn {
FieldUses::FieldUses(const Problem& problem)
    : of_(problem.fields.size()), highest_(problem.fields.size()) {
  for (const Requirement& r : problem.requirements) {
    const bool of_integrals = is_integral(r);
    const auto add = [&](const Residual* residual, const Needs& here, const Needs& elsewhere) {
      std::map<int, Use> uses;
      const auto of_field = [&](int field) -> Use& {
        return uses.try_emplace(field, Use{&r, residual, {}, {}, of_integrals}).first->second;
      };
      for (const Need& need : here) of_field(need.field).orders.push_back(need.index);
      for (const Need& need : elsewhere) of_field(need.field).elsewhere.push_back(need.index);
      for (auto& [field, use] : uses) of_[std::size_t(field)].push_back(std::move(use));
    };
    if (r.periodic) add(nullptr, needs(r, problem), {});
    for (const Residual& residual : r.residuals)
      add(&residual, needs(*residual.expression), needs_elsewhere(*residual.expression));
  }
  for (std::size_t f = 0; f < of_.size(); ++f)
    for (const Use& use : of_[f])
      for (std::size_t c = 0; c < problem.coordinates.size(); ++c)
        if (use.requirement->kind == Requirement::Kind::equation)
          highest_[f][c] = std::max(highest_[f][c], std::uint8_t(use.highest_order(int(c))));
}

int FieldUses::Use::highest_order(int coordinate) const {
  int highest = 0;
  for (const MultiIndex& index : orders)
    highest = std::max(highest, int(index[std::size_t(coordinate)]));
  return highest;
}

int FieldUses::highest_order(int coordinate, int field) const {
  return highest_[std::size_t(field)][std::size_t(coordinate)];
}

int FieldUses::highest_order(int coordinate) const {
  int highest = 0;
  for (int f = 0; f < int(of_.size()); ++f)
    highest = std::max(highest, highest_order(coordinate, f));
  return highest;
}

}  // namespace pinn
