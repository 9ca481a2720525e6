#include "solvers/problem/summands.h"

#include "solvers/problem/build.h"

namespace pinn {
namespace {

using Terms = std::vector<ExpressionPtr>;

constexpr std::size_t most = 64;

Terms sum(Terms left, const Terms& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Terms product(const Terms& left, const Terms& right) {
  Terms all;
  for (const ExpressionPtr& a : left)
    for (const ExpressionPtr& b : right) all.push_back(make_call("mul", {a, b}));
  return all;
}

template <class Wrap> Terms each(Terms terms, const Wrap& wrap) {
  for (ExpressionPtr& term : terms) term = wrap(term);
  return terms;
}

}  // namespace

Terms summands(const ExpressionPtr& formula) {
  const auto input = [&](std::size_t i) { return summands(formula->inputs[i]); };
  if (formula->kind == Expression::Kind::derivative)
    return each(input(0), [&](const auto& e) { return make_derivative(e, formula->order); });
  if (formula->kind != Expression::Kind::call) return {formula};
  if (formula->name == "neg") return input(0);
  if (formula->name == "div")
    return each(input(0), [&](const auto& e) { return make_call("div", {e, formula->inputs[1]}); });
  const bool adds = formula->name == "add" || formula->name == "sub";
  if (!adds && formula->name != "mul") return {formula};
  const Terms left = input(0), right = input(1);
  if ((adds ? left.size() + right.size() : left.size() * right.size()) > most) return {formula};
  return adds ? sum(left, right) : product(left, right);
}

}  // namespace pinn
