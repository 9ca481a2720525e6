#include "solvers/problem/rewritten.h"

#include <algorithm>
#include <unordered_map>

#include "data/geometry/measure.h"
#include "data/geometry/shape.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;

bool is_initial_call(const Expression& e) { return e.kind == Kind::call && e.name == "initial"; }

/// Replaces nodes for which `other` gives something.
template <class Other> class Replacement {
 public:
  explicit Replacement(Other other) : other_(std::move(other)) {}

  ExpressionPtr operator()(const ExpressionPtr& e) {
    if (const auto done = done_.find(e.get()); done != done_.end()) return done->second;
    return done_[e.get()] = made(e);
  }

 private:
  ExpressionPtr made(const ExpressionPtr& e) {
    if (ExpressionPtr other = other_(*e)) return other;
    if (!is_pointwise(*e)) return e;
    std::vector<ExpressionPtr> inputs;
    for (const ExpressionPtr& input : e->inputs) inputs.push_back((*this)(input));
    return inputs == e->inputs ? e : with_inputs(*e, std::move(inputs));
  }

  Other other_;
  std::unordered_map<const Expression*, ExpressionPtr> done_;
};

template <class Other> ExpressionPtr replaced(const ExpressionPtr& e, Other other) {
  return Replacement<Other>(std::move(other))(e);
}

int time_of(const Problem& problem) {
  for (std::size_t i = 0; i < problem.coordinates.size(); ++i)
    if (problem.coordinates[i].role == Role::time) return int(i);
  return -1;
}

/// True if a region holds evenly spread points of another.
bool holds(const Region& region, const Region& other) {
  constexpr int wanted = 1000, candidates = 200'000;
  for (const std::vector<double>& x : spread_points(other, wanted, candidates))
    if (!region.inside(x, 0)) return false;
  return true;
}

/// True if a region is all of the lower end of time.
bool is_start(const Region& region, const Problem& problem, int time) {
  if (region.parts().size() != 1) return false;
  if (problem.domain) {
    const double start = problem.coordinates[std::size_t(time)].lower;
    const Interval at = region.bounds()[std::size_t(time)];
    const auto all = interior(problem)->with(time, {start, start});
    return at.fixed() && at.lower == start && region.dimension() == all->dimension() &&
           holds(region, *all);
  }
  const std::vector<Interval> box = region.bounds();
  for (std::size_t i = 0; i < box.size(); ++i) {
    const Coordinate& c = problem.coordinates[i];
    const double upper = int(i) == time ? c.lower : c.upper;
    if (box[i].lower != c.lower || box[i].upper != upper) return false;
  }
  return true;
}

/// f of u - f or f - u, where nothing else is a field.
ExpressionPtr other_side(const ExpressionPtr& residual, int field) {
  if (!residual) return nullptr;  // it could not be read
  const auto is_it = [&](const ExpressionPtr& e) {
    return e->kind == Kind::field && e->index == field;
  };
  const auto is_formula = [](const ExpressionPtr& e) {
    const Dependence on = dependence(*e);
    return !on.fields && !on.points;
  };
  if (is_it(residual)) return make_number(0);
  if (residual->kind != Kind::call || residual->name != "sub") return nullptr;
  for (const std::size_t k : {0u, 1u})
    if (is_it(residual->inputs[k]) && is_formula(residual->inputs[1 - k]))
      return residual->inputs[1 - k];
  return nullptr;
}

}  // namespace

bool says_initial(const ExpressionPtr& output) {
  if (!output) return false;
  return std::ranges::any_of(in_order(*output),
                             [](const Expression* e) { return is_initial_call(*e); });
}

std::vector<int> initial_fields(const ExpressionPtr& output) {
  std::vector<int> fields;
  if (!output) return fields;
  for (const Expression* e : in_order(*output))
    if (is_initial_call(*e) && e->inputs[0]->kind == Kind::field)
      fields.push_back(e->inputs[0]->index);
  return fields;
}

ExpressionPtr with_initial(const ExpressionPtr& output, double time,
                           const std::vector<ExpressionPtr>& values) {
  return replaced(output, [&](const Expression& e) -> ExpressionPtr {
    if (!is_initial_call(e)) return nullptr;
    return e.inputs[0]->kind == Kind::coordinate ? make_number(time)
                                                 : values.at(std::size_t(e.inputs[0]->index));
  });
}

ExpressionPtr initial_value(const Problem& problem, int field) {
  const int time = time_of(problem);
  for (const Requirement& r : problem.requirements) {
    if (time < 0 || r.data || r.periodic || !r.region || !is_start(*r.region, problem, time))
      continue;
    for (const Residual& residual : r.residuals)
      if (const ExpressionPtr f = other_side(residual.expression, field))
        return replaced(f, [&](const Expression& e) -> ExpressionPtr {
          const bool is_time = e.kind == Kind::coordinate && e.index == time;
          return is_time ? make_number(problem.coordinates[std::size_t(time)].lower) : nullptr;
        });
  }
  return nullptr;
}

bool asks_elsewhere(const Expression& e, int coordinate) {
  return std::ranges::any_of(in_order(e), [&](const Expression* node) {
    return node->kind == Kind::elsewhere && node->order[std::size_t(coordinate)] > 0;
  });
}

}  // namespace pinn
