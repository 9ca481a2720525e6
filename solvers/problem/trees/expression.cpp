#include "solvers/problem/expression.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "data/tables/table_function.h"

namespace pinn {
namespace {

ExpressionPtr finished(Expression e) {
  std::int64_t nodes = 1;
  for (const ExpressionPtr& input : e.inputs) {
    e.depth = std::max(e.depth, input->depth + 1);
    nodes += input->nodes;
  }
  e.nodes = int(std::min<std::int64_t>(nodes, 1 << 30));
  return std::make_shared<const Expression>(std::move(e));
}

}  // namespace

ExpressionPtr make_number(double value, std::string name, bool varies) {
  Expression e;
  e.number = value;
  e.varies = varies;
  e.name = std::move(name);
  return finished(std::move(e));
}

ExpressionPtr number_of(double value, const std::vector<ExpressionPtr>& numbers) {
  const auto varies = [](const ExpressionPtr& e) { return e->varies; };
  return make_number(value, "", std::ranges::any_of(numbers, varies));
}

ExpressionPtr make_leaf(Expression::Kind kind, int index) {
  Expression e;
  e.kind = kind;
  e.index = index;
  return finished(std::move(e));
}

ExpressionPtr make_call(std::string op, std::vector<ExpressionPtr> inputs) {
  Expression e;
  e.kind = Expression::Kind::call;
  e.name = std::move(op);
  e.inputs = std::move(inputs);
  return finished(std::move(e));
}

ExpressionPtr make_lookup(const TablePtr& table, std::vector<ExpressionPtr> inputs,
                          const MultiIndex& order) {
  Expression e;
  e.kind = Expression::Kind::lookup;
  e.name = table->name();
  e.table = table;
  e.order = order;
  e.inputs = std::move(inputs);
  return finished(std::move(e));
}

ExpressionPtr make_by_region(const std::shared_ptr<const Partition>& partition,
                             std::vector<ExpressionPtr> inputs) {
  Expression e;
  e.kind = Expression::Kind::by_region;
  e.partition = partition;
  e.inputs = std::move(inputs);
  return finished(std::move(e));
}

ExpressionPtr make_whole(std::string name, const ExpressionPtr& of) {
  Expression e;
  e.kind = Expression::Kind::whole;
  e.name = std::move(name);
  e.inputs = {of};
  return finished(std::move(e));
}

ExpressionPtr make_elsewhere(const ExpressionPtr& of, const MultiIndex& marked,
                             const std::vector<ExpressionPtr>& places) {
  Expression e;
  e.kind = Expression::Kind::elsewhere;
  e.order = marked;
  e.inputs = {of};
  e.inputs.insert(e.inputs.end(), places.begin(), places.end());
  return finished(std::move(e));
}

ExpressionPtr make_bound(int number, std::string name) {
  Expression e;
  e.kind = Expression::Kind::bound;
  e.index = number;
  e.name = std::move(name);
  return finished(std::move(e));
}

ExpressionPtr make_integral(const Expression& bound, const ExpressionPtr& of,
                            const ExpressionPtr& lower, const ExpressionPtr& upper) {
  Expression e;
  e.kind = Expression::Kind::integral;
  e.index = bound.index;
  e.name = bound.name;
  e.inputs = {of, lower, upper};
  return finished(std::move(e));
}

ExpressionPtr with_inputs(const Expression& node, std::vector<ExpressionPtr> inputs) {
  Expression e = node;
  e.depth = e.nodes = 1;
  e.begin = e.end = 0;
  e.inputs = std::move(inputs);
  return finished(std::move(e));
}

bool is_pointwise(const Expression& e) {
  using Kind = Expression::Kind;
  return e.kind == Kind::call || e.kind == Kind::lookup || e.kind == Kind::by_region;
}

ExpressionPtr make_derivative(const ExpressionPtr& of, const MultiIndex& order) {
  const bool merge = of->kind == Expression::Kind::derivative;
  Expression e;
  e.kind = Expression::Kind::derivative;
  e.order = merge ? order + of->order : order;
  e.inputs = {merge ? of->inputs[0] : of};
  return finished(std::move(e));
}

ExpressionPtr placed(const ExpressionPtr& node, std::size_t begin, std::size_t end) {
  Expression e = *node;
  e.begin = begin;
  e.end = end;
  return std::make_shared<const Expression>(std::move(e));
}

std::vector<const Expression*> in_order(const Expression& root) {
  std::vector<const Expression*> order;
  std::unordered_set<const Expression*> seen{&root};
  std::vector<std::pair<const Expression*, std::size_t>> path{{&root, 0}};
  while (!path.empty()) {
    auto& [node, next] = path.back();
    if (next == node->inputs.size()) {
      order.push_back(node);
      path.pop_back();
      continue;
    }
    const Expression* input = node->inputs[next++].get();
    if (seen.insert(input).second) path.push_back({input, 0});
  }
  return order;
}

bool is_constant(const Expression& e) { return e.kind == Expression::Kind::number; }
bool is_constant(const Expression& e, double value) { return is_constant(e) && e.number == value; }

Dependence dependence(const Expression& e) {
  using Kind = Expression::Kind;
  Dependence found;
  for (const Expression* node : in_order(e)) {
    if (node->kind == Kind::coordinate) found.coordinates.set(std::size_t(node->index));
    if (node->kind == Kind::by_region) found.coordinates.set();
    if (node->kind == Kind::field) found.fields = true;
    if (node->kind == Kind::normal || node->kind == Kind::column || node->kind == Kind::before ||
        node->kind == Kind::raw_output)
      found.points = true;
  }
  return found;
}

bool contains(const Expression& e, Expression::Kind kind) {
  const auto nodes = in_order(e);
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const Expression* node) { return node->kind == kind; });
}

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
