#include "solvers/problem/needs.h"

#include <unordered_map>

#include "solvers/problem/build.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;
using Orders = std::set<MultiIndex>;

/// With every index all that divide it.
Orders closed(const Orders& orders) {
  Orders all = orders;
  for (auto at = all.rbegin(); at != all.rend();
       ++at)  // what is added lies before: it is seen, too
    for (int c = 0; c < max_coordinates; ++c)
      if ((*at)[std::size_t(c)] > 0) all.insert(*at - unit_index(c));
  return all;
}

Orders raised(const Orders& orders, const MultiIndex& by) {
  Orders all;
  for (const MultiIndex& a : orders) all.insert(a + by);
  return all;
}

}  // namespace

Needs needs(const Expression& expression) {
  Needs found;
  std::unordered_map<const Expression*, Orders> wanted{{&expression, {MultiIndex{}}}};
  const std::vector<const Expression*> nodes = in_order(expression);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const Expression& e = **node;
    Orders below = wanted[&e];
    if (e.kind == Kind::field)
      for (const MultiIndex& a : below) found.insert({e.index, a});
    if (e.kind == Kind::derivative) {
      below = raised(below, e.order);
      if (e.inputs[0]->kind != Kind::field) below = closed(below);
    }
    for (const ExpressionPtr& input : e.inputs)
      wanted[input.get()].insert(below.begin(), below.end());
  }
  return found;
}

Needs needs(const Requirement& requirement, const Problem& problem) {
  Needs all;
  for (const Residual& residual : requirement.residuals) all.merge(needs(*residual.expression));
  if (!requirement.periodic) return all;
  for (std::size_t field = 0; field < problem.fields.size(); ++field)
    for (int k = 0; k <= requirement.periodic->order; ++k) {
      MultiIndex index{};
      index[std::size_t(requirement.periodic->coordinate)] = std::uint8_t(k);
      all.insert({int(field), index});
    }
  return all;
}

}  // namespace pinn
