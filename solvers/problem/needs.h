#pragma once
#include <compare>
#include <set>

#include "solvers/problem/problem.h"

namespace pinn {

/// One derivative of one field that an expression asks of the network.
struct Need {
  int field = 0;
  MultiIndex index{};
  auto operator<=>(const Need&) const = default;
};
using Needs = std::set<Need>;

/// What an expression asks of the network. A derivative d^a of something composite follows from
/// Leibniz' rule, so a derivative u_b inside it stands for all u_{b+g} with g <= a.
Needs needs(const Expression& expression);

/// What a whole requirement asks: all its residuals, and for a periodic condition every field up to
/// the order.
Needs needs(const Requirement& requirement, const Problem& problem);

}  // namespace pinn
