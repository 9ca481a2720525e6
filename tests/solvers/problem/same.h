#pragma once
#include <bit>
#include <cstdint>

#include "solvers/problem/expression.h"

namespace pinn {

/// Equal trees: kinds, numbers (bit for bit), indices, names, orders and inputs.
inline bool same(const Expression& a, const Expression& b) {
  std::vector<std::pair<const Expression*, const Expression*>> open{{&a, &b}};
  while (!open.empty()) {
    const auto [p, q] = open.back();
    open.pop_back();
    if (p == q) continue;
    if (p->kind != q->kind || p->index != q->index || p->name != q->name || p->order != q->order)
      return false;
    if (std::bit_cast<std::uint64_t>(p->number) != std::bit_cast<std::uint64_t>(q->number))
      return false;
    if (p->inputs.size() != q->inputs.size()) return false;
    for (std::size_t i = 0; i < p->inputs.size(); ++i)
      open.push_back({p->inputs[i].get(), q->inputs[i].get()});
  }
  return true;
}

}  // namespace pinn
