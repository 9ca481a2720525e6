#include "solvers/problem/differentiate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

#include "autograd/core/error.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"
#include "data/tables/table_function.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/integrals.h"

namespace pinn {
namespace {

bool is(const Formula& a, double value) { return is_constant(*a.e, value); }

}  // namespace

Formula::Formula(double number) : e(make_number(number)) {}

Formula formula(const char* op, const Formula& a) {
  if (!is_constant(*a.e)) return Formula(make_call(op, {a.e}));
  const double folded = op_value(op, std::array{a.e->number});
  return Formula(std::isfinite(folded) ? number_of(folded, {a.e}) : make_call(op, {a.e}));
}

Formula formula(const char* op, const Formula& a, const Formula& b) {
  if (!is_constant(*a.e) || !is_constant(*b.e)) return Formula(make_call(op, {a.e, b.e}));
  const double folded = op_value(op, std::array{a.e->number, b.e->number});
  return Formula(std::isfinite(folded) ? number_of(folded, {a.e, b.e}) : make_call(op, {a.e, b.e}));
}

Formula operator+(const Formula& a, const Formula& b) {
  return is(a, 0) ? b : is(b, 0) ? a : formula("add", a, b);
}
Formula operator-(const Formula& a, const Formula& b) {
  return is(b, 0) ? a : is(a, 0) ? -b : formula("sub", a, b);
}
Formula operator*(const Formula& a, const Formula& b) {
  if (is(a, 0) || is(b, 0)) return Formula(0);
  return is(a, 1) ? b : is(b, 1) ? a : formula("mul", a, b);
}
Formula operator/(const Formula& a, const Formula& b) {
  return is(a, 0) || is(b, 1) ? a : formula("div", a, b);
}
Formula operator-(const Formula& a) { return formula("neg", a); }

namespace {

using Kind = Expression::Kind;
using Slopes = std::unordered_map<const Expression*, Formula>;

/// slope change; where the slope says what counts, what is left out may be anything.
Formula times_slope(const Formula& slope, const Formula& change, bool masks) {
  if (!masks || is_constant(*slope.e) || is_constant(*change.e)) return slope * change;
  return Formula(make_call("where", {slope.e, (slope * change).e, make_number(0)}));
}

/// The chain rule for a call y of one or two inputs with slopes from autograd/ops, or `where`.
Formula chain(const Formula& y, const Slopes& slopes) {
  const Expression& call = *y.e;
  const auto input = [&](std::size_t i) { return Formula(call.inputs.at(i)); };
  const auto slope = [&](std::size_t i) { return slopes.at(call.inputs.at(i).get()); };
  const auto still = [&](std::size_t i) { return is_constant(*slope(i).e, 0); };
  if (call.name == "where") {
    if (still(1) && still(2)) return Formula(0);
    return Formula(make_call("where", {call.inputs[0], slope(1).e, slope(2).e}));
  }
  if (call.inputs.size() == 1)
    return visit_unary(find_unary(call.name), [&]<class Op>() {
      return still(0) ? Formula(0) : times_slope(slope_of<Op>(input(0), y), slope(0), masks<Op>());
    });
  if (call.name == "pow" && is_constant(*call.inputs[1]))
    return still(0) ? Formula(0) : op::Power::slope(input(0), y, call.inputs[1]->number) * slope(0);
  return visit_binary(find_binary(call.name), [&]<class Op>() {
    const auto by = [&](std::size_t i) {
      if (still(i)) return Formula(0);
      const Formula partial =
          i == 0 ? Op::slope_x(input(0), input(1), y) : Op::slope_y(input(0), input(1), y);
      return times_slope(partial, slope(i), Op::masks);
    };
    return by(0) + by(1);
  });
}

/// The chain rule for a table: its slope by each input is a table, too.
Formula chain_of_lookup(const Expression& e, const Slopes& slopes) {
  Formula sum(0);
  for (std::size_t i = 0; i < e.inputs.size(); ++i) {
    const Formula slope = slopes.at(e.inputs[i].get());
    const MultiIndex next = e.order + unit_index(int(i));
    if (!is(slope, 0) && !e.table->vanishes(next))
      sum = sum + Formula(make_lookup(e.table, e.inputs, next)) * slope;
  }
  return sum;
}

/// In each region the slope there.
Formula chain_by_region(const Expression& e, const Slopes& slopes) {
  std::vector<ExpressionPtr> all;
  for (const ExpressionPtr& input : e.inputs) all.push_back(slopes.at(input.get()).e);
  if (std::ranges::all_of(all, [](const ExpressionPtr& s) { return is_constant(*s, 0); }))
    return Formula(0);
  return Formula(make_by_region(e.partition, std::move(all)));
}

/// Shared pointers to all nodes under the root, inputs first.
std::vector<ExpressionPtr> owned_in_order(const ExpressionPtr& root) {
  std::unordered_map<const Expression*, ExpressionPtr> owner{{root.get(), root}};
  const std::vector<const Expression*> nodes = in_order(*root);
  for (const Expression* node : nodes)
    for (const ExpressionPtr& input : node->inputs) owner.emplace(input.get(), input);
  std::vector<ExpressionPtr> owned;
  for (const Expression* node : nodes) owned.push_back(owner.at(node));
  return owned;
}

/// Replaces leaves and carries out derivatives, remembering what it has differentiated.
class Substitution {
 public:
  Substitution(const FieldFormulas& fields, const ExpressionPtr& raw_output)
      : fields_(fields), raw_output_(raw_output) {}

  ExpressionPtr operator()(const ExpressionPtr& root) {
    std::unordered_map<const Expression*, ExpressionPtr> to;
    for (const ExpressionPtr& node : owned_in_order(root)) to[node.get()] = replaced(node, to);
    return to.at(root.get());
  }

 private:
  template <class Map> ExpressionPtr replaced(const ExpressionPtr& node, const Map& to) {
    if (node->kind == Kind::raw_output && raw_output_) return raw_output_;
    if (node->kind == Kind::field) {
      const auto [known, is_new] = made_.try_emplace(node->index);
      if (is_new) known->second = fields_(node->index);
      return known->second ? known->second : node;
    }
    if (node->kind == Kind::derivative) return derived(to.at(node->inputs[0].get()), node->order);
    if (node->inputs.empty()) return node;
    std::vector<ExpressionPtr> inputs;
    for (const ExpressionPtr& input : node->inputs) inputs.push_back(to.at(input.get()));
    if (node->kind == Kind::elsewhere && is_known(*inputs[0]))
      return with_places(inputs[0], node->order, {inputs.begin() + 1, inputs.end()});
    return inputs == node->inputs ? node : with_inputs(*node, std::move(inputs));
  }

  /// True if it is a formula of coordinates alone, which may be taken elsewhere.
  static bool is_known(const Expression& e) {
    for (const Kind kind : {Kind::field, Kind::derivative, Kind::raw_output, Kind::before})
      if (contains(e, kind)) return false;
    return true;
  }

  /// One derivative more than one that is known: u_xxt comes from u_xx.
  ExpressionPtr derived(const ExpressionPtr& e, MultiIndex by) {
    if (order(by) == 0) return e;
    const auto key = std::make_pair(e, by);
    if (const auto known = derived_.find(key); known != derived_.end()) return known->second;
    int last = max_coordinates - 1;
    while (by[std::size_t(last)] == 0) --last;
    --by[std::size_t(last)];
    return derived_[key] = differentiate(derived(e, by), last);
  }

  const FieldFormulas& fields_;
  const ExpressionPtr& raw_output_;
  std::unordered_map<int, ExpressionPtr> made_;
  std::map<std::pair<ExpressionPtr, MultiIndex>, ExpressionPtr> derived_;
};

}  // namespace

ExpressionPtr differentiate(const ExpressionPtr& expression, int coordinate) {
  Slopes slopes;
  for (const ExpressionPtr& node : owned_in_order(expression)) {
    if (node->kind == Kind::before || node->kind == Kind::raw_output)
      throw InternalError({"N and what is before cannot be differentiated as a formula",
                           "differentiate", "put formulas in their place with substitute_fields"});
    if (node->kind == Kind::field || node->kind == Kind::derivative) {
      slopes.emplace(node.get(), make_derivative(node, unit_index(coordinate)));
      continue;
    }
    const bool itself = node->kind == Kind::coordinate && node->index == coordinate;
    slopes.emplace(node.get(), node->kind == Kind::call        ? chain(Formula(node), slopes)
                               : node->kind == Kind::lookup    ? chain_of_lookup(*node, slopes)
                               : node->kind == Kind::by_region ? chain_by_region(*node, slopes)
                                                               : Formula(itself ? 1 : 0));
  }
  return slopes.at(expression.get()).e;
}

ExpressionPtr substitute_fields(const ExpressionPtr& expression,
                                const std::vector<ExpressionPtr>& fields,
                                const ExpressionPtr& raw_output) {
  const auto given = [&](int field) {
    return std::size_t(field) < fields.size() ? fields[std::size_t(field)] : nullptr;
  };
  return with_fields(expression, given, raw_output);
}

ExpressionPtr with_fields(const ExpressionPtr& expression, const FieldFormulas& fields,
                          const ExpressionPtr& raw_output) {
  return Substitution(fields, raw_output)(expression);
}

ExpressionPtr with_derivatives_carried_out(const Expression& expression) {
  const auto is_open = [](const Expression* e) {
    return e->kind == Expression::Kind::derivative && e->inputs[0]->kind != Expression::Kind::field;
  };
  if (std::ranges::none_of(in_order(expression), is_open)) return nullptr;
  return substitute_fields(ExpressionPtr(ExpressionPtr(), &expression), {});
}

}  // namespace pinn
