#include "solvers/problem/needs.h"

#include <algorithm>
#include <unordered_map>

#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"
#include "data/tables/scattered_table.h"
#include "data/tables/table_function.h"
#include "solvers/problem/expression.h"

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
      if (e.kind != Kind::elsewhere || input != e.inputs[0])
        wanted[input.get()].insert(below.begin(), below.end());
  }
  return found;
}

Needs needs_elsewhere(const Expression& expression) {
  Needs found;
  for (const Expression* e : in_order(expression))
    if (e->kind == Kind::elsewhere) found.merge(needs(*e->inputs[0]));
  return found;
}

Needs needs(const Requirement& requirement, const Problem& problem) {
  Needs all;
  for (const Residual& residual : requirement.residuals) all.merge(needs(*residual.expression));
  if (!requirement.periodic) return all;
  std::vector<int> fields = requirement.periodic->fields;
  for (std::size_t f = 0; requirement.periodic->fields.empty() && f < problem.fields.size(); ++f)
    fields.push_back(int(f));
  fields.insert(fields.end(), requirement.periodic->far.begin(), requirement.periodic->far.end());
  for (const auto& [near, far] : requirement.periodic->in_pieces)
    for (const auto* const own : {&near, &far})
      fields.insert(fields.end(), own->begin(), own->end());
  for (const int field : fields)
    for (int k = 0; k <= requirement.periodic->order; ++k) {
      MultiIndex index{};
      index[std::size_t(requirement.periodic->coordinate)] = std::uint8_t(k);
      all.insert({field, index});
    }
  return all;
}

namespace {

using Kind = Expression::Kind;

bool jumps(const Expression& e) {
  if (e.kind != Kind::call) return false;
  if (e.name == "where") return true;
  if (const int id = find_unary(e.name); id >= 0 && e.inputs.size() == 1)
    return visit_unary(id, []<class Op>() { return Op::flat; });
  if (const int id = find_binary(e.name); id >= 0)
    return visit_binary(id, []<class Op>() { return Op::flat; });
  return false;
}

/// How many of its inputs decide where a jumping node jumps.
std::size_t deciding(const Expression& e) { return e.name == "where" ? 1 : e.inputs.size(); }

bool kinks(const Expression& e) { return e.kind == Kind::call && has_kink(e.name); }

bool changes(const Expression& e) {
  const Dependence on = dependence(e);
  return on.fields || on.coordinates.any();
}

bool lives_at_points(const Expression& e) {
  return e.kind == Kind::normal || e.kind == Kind::column || e.kind == Kind::before ||
         e.kind == Kind::raw_output;
}

bool is_asked_elsewhere(const Expression& e) {
  return e.kind == Kind::elsewhere || e.kind == Kind::whole || e.kind == Kind::integral ||
         e.kind == Kind::bound;
}

/// The most that the value of a node is differentiated on any way up: by each coordinate, and in
/// all.
struct Above {
  MultiIndex by{};
  int total = 0;

  void include(const Above& other) {
    for (int i = 0; i < max_coordinates; ++i) by[i] = std::max(by[i], other.by[i]);
    total = std::max(total, other.total);
  }
};

/// How a jumping node changes along the coordinates it is differentiated by. `where` jumps as its
/// condition does.
void judge_jump(const Expression& e, const MultiIndex& above, std::vector<Obstacle>& found) {
  Dependence on;
  for (std::size_t i = 0; i < deciding(e); ++i) {
    const Dependence part = dependence(*e.inputs[i]);
    on.coordinates |= part.coordinates;
    on.fields |= part.fields;
  }
  for (int c = 0; c < max_coordinates; ++c)
    if (above[c] > 0 && on.coordinates[std::size_t(c)]) {
      found.push_back({Obstacle::Kind::jump, &e, c});
      return;
    }
  if (on.fields) found.push_back({Obstacle::Kind::switched, &e, 0});
}

/// Adds an obstacle where a table is differentiated more often than it can be.
void judge_table(const Expression& e, const Above& above, std::vector<Obstacle>& found) {
  const Dependence on = dependence(e);
  int total = order(e.order), one = 0;
  for (int c = 0; c < max_coordinates; ++c)
    if (on.on(c)) {
      total += above.by[std::size_t(c)];
      one = std::max<int>(one, above.by[std::size_t(c)]);
    }
  for (const auto by_input : e.order) one = std::max<int>(one, by_input);
  const Interpolation kind = e.table->options().interpolation;
  if (kind == Interpolation::linear && is_scattered(*e.table)) {  // it turns in its cells, too
    if (total > 1) found.push_back({Obstacle::Kind::rough, &e, 0});
    return;
  }
  if (kind == Interpolation::nearest && total > 0)
    found.push_back({Obstacle::Kind::nearest, &e, 0});
  if (kind == Interpolation::linear && total > 1 && (one > 1 || on.fields || e.inputs.size() == 1))
    found.push_back({Obstacle::Kind::flat, &e, 0});
  if (kind == Interpolation::cubic && total > 2) found.push_back({Obstacle::Kind::rough, &e, 0});
}

}  // namespace

bool has_kink(std::string_view op) {
  return op == "abs" || op == "relu" || op == "min" || op == "max";
}

bool is_smooth_and_known(const Expression& expression) {
  return std::ranges::all_of(in_order(expression), [](const Expression* e) {
    if (e->kind == Kind::call) return !jumps(*e) && !kinks(*e);
    return e->kind == Kind::number || e->kind == Kind::coordinate || e->kind == Kind::unknown;
  });
}

std::vector<Obstacle> obstacles(const Expression& derivative) {
  std::vector<Obstacle> found;
  std::unordered_map<const Expression*, Above> above;
  const std::vector<const Expression*> nodes = in_order(derivative);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const Expression& e = **node;
    Above under = above[&e];
    if (e.kind == Kind::derivative) {
      under.total += order(e.order);
      if (under.total > max_order) return {{Obstacle::Kind::order, &e, 0}};
      under.by = under.by + e.order;
    }
    if (under.total > 0 && is_asked_elsewhere(e))
      found.push_back({Obstacle::Kind::elsewhere, &e, 0});
    if (under.total > 0 && jumps(e)) judge_jump(e, under.by, found);
    if (under.total > 0 && lives_at_points(e)) found.push_back({Obstacle::Kind::point, &e, 0});
    if (under.total > 1 && kinks(e) && changes(e)) found.push_back({Obstacle::Kind::kink, &e, 0});
    if (under.total > 0 && e.kind == Kind::lookup) judge_table(e, under, found);
    for (std::size_t i = 0; i < e.inputs.size(); ++i)
      // what decides a jump is not differentiated itself
      above[e.inputs[i].get()].include(jumps(e) && i < deciding(e) ? Above{} : under);
  }
  return found;
}

}  // namespace pinn
