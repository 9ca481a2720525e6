#include "solvers/residual/constant_inputs.h"

#include <algorithm>
#include <unordered_set>

#include "solvers/problem/integrals.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;
using Nodes = std::vector<const Expression*>;

bool same_number(double a, double b) { return a == b || (a != a && b != b); }

bool same_node(const Expression& a, const Expression& b) {
  return a.kind == b.kind && a.index == b.index && a.name == b.name && a.order == b.order &&
         a.table == b.table && a.partition == b.partition && a.inputs.size() == b.inputs.size();
}

/// Every node of exponents.
std::unordered_set<const Expression*> exponents(const Nodes& nodes) {
  std::unordered_set<const Expression*> all;
  for (const Expression* node : nodes)
    if (node->kind == Kind::call && node->name == "pow")
      for (const Expression* e : in_order(*node->inputs[1])) all.insert(e);
  return all;
}

/// Two formulas node by node, each shared node once; `may_differ` is asked for numbers.
template <class MayDiffer>
bool same_formulas(const Expression& a, const Expression& b, const MayDiffer& may_differ) {
  const Nodes left = in_order(a), right = in_order(b);
  if (left.size() != right.size()) return false;
  std::unordered_map<const Expression*, const Expression*> other;
  const auto exact = exponents(left);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Expression &x = *left[i], &y = *right[i];
    if (!same_node(x, y)) return false;
    if (!same_number(x.number, y.number) && (exact.contains(&x) || !may_differ(x, y))) return false;
    for (std::size_t k = 0; k < x.inputs.size(); ++k)
      if (other.at(x.inputs[k].get()) != y.inputs[k].get()) return false;
    other[&x] = &y;
  }
  return true;
}

bool asks_for_integrals(const Problem& problem) {
  return std::ranges::any_of(problem.requirements, is_integral);
}

}  // namespace

bool same(const ExpressionPtr& a, const ExpressionPtr& b) {
  if (a == b || !a || !b) return a == b;
  return same_formulas(*a, *b, [](const Expression&, const Expression&) { return false; });
}

bool same_but_for_constants(const Problem& a, const Problem& b) {
  const bool exact = asks_for_integrals(a) || asks_for_integrals(b);
  const auto may_differ = [&](const Expression& x, const Expression& y) {
    return !exact && x.varies && y.varies;
  };
  const auto same_residual = [&](const Residual& x, const Residual& y) {
    return x.expression == y.expression ||
           (x.expression && y.expression &&
            same_formulas(*x.expression, *y.expression, may_differ));
  };
  return std::ranges::equal(a.requirements, b.requirements,
                            [&](const Requirement& x, const Requirement& y) {
                              return std::ranges::equal(x.residuals, y.residuals, same_residual);
                            });
}

ConstantInputs::ConstantInputs(const Problem& problem,
                               const std::vector<std::vector<Requirement>>& pieces) {
  if (asks_for_integrals(problem)) return;
  for (const Requirement& r : problem.requirements) add(r);
  for (const std::vector<Requirement>& of_one : pieces)
    for (const Requirement& r : of_one) add(r);
}

void ConstantInputs::add(const Requirement& requirement) {
  for (const Residual& residual : requirement.residuals)
    for (const Expression* e : in_order(*residual.expression))
      if (e->varies && places_.emplace(e, int(values_.size())).second) values_.push_back(e->number);
}

int ConstantInputs::find(const Expression& e) const {
  const auto found = places_.find(&e);
  return found == places_.end() ? -1 : found->second;
}

}  // namespace pinn
