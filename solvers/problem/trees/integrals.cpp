#include "solvers/problem/integrals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "data/geometry/measure.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/names.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;
using Memo = std::unordered_map<const Expression*, ExpressionPtr>;

/// The node with its inputs mapped.
template <class Map> ExpressionPtr with_mapped_inputs(const ExpressionPtr& e, const Map& map) {
  std::vector<ExpressionPtr> inputs;
  for (const ExpressionPtr& input : e->inputs) inputs.push_back(map(input));
  if (inputs == e->inputs) return e;
  return placed(with_inputs(*e, std::move(inputs)), e->begin, e->end);
}

/// Sums of halves: as shallow as can be.
ExpressionPtr balanced_sum(const std::vector<ExpressionPtr>& terms, std::size_t first,
                           std::size_t last) {
  if (last - first == 1) return terms[first];
  const std::size_t middle = first + (last - first) / 2;
  return (Formula(balanced_sum(terms, first, middle)) + Formula(balanced_sum(terms, middle, last)))
      .e;
}

/// A call of numbers alone is a number, as where a reader meets it.
ExpressionPtr folded(const ExpressionPtr& e) {
  if (e->kind != Kind::call || e->inputs.empty()) return e;
  std::vector<double> numbers;
  for (const ExpressionPtr& input : e->inputs) {
    if (!is_constant(*input)) return e;
    numbers.push_back(input->number);
  }
  const double value = op_value(e->name, numbers);
  return std::isfinite(value) ? placed(number_of(value, e->inputs), e->begin, e->end) : e;
}

/// Writes integrals out, in one assignment of the bound numbers around.
class Expansion {
 public:
  Expansion(int nodes, std::map<int, ExpressionPtr> bound)
      : nodes_(nodes), bound_(std::move(bound)) {}

  ExpressionPtr operator()(const ExpressionPtr& e) {
    if (const auto done = done_.find(e.get()); done != done_.end()) return done->second;
    return done_[e.get()] = made(e);
  }

 private:
  ExpressionPtr made(const ExpressionPtr& e) {
    if (e->kind == Kind::bound) return bound_.at(e->index);
    if (e->kind == Kind::integral) return written_out(e);
    return folded(
        with_mapped_inputs(e, [this](const ExpressionPtr& input) { return (*this)(input); }));
  }

  /// (b - a) sum_k w_k f(a + (b - a) x_k)
  ExpressionPtr written_out(const ExpressionPtr& e) {
    const Formula lower((*this)(e->inputs[1]));
    const Formula length = Formula((*this)(e->inputs[2])) - lower;
    std::vector<ExpressionPtr> terms;
    for (const auto& [x, weight] : gauss_points(nodes_, {0, 1})) {
      std::map<int, ExpressionPtr> bound = bound_;
      bound[e->index] = (lower + length * Formula(x)).e;
      terms.push_back((Formula(weight) * Formula(Expansion(nodes_, bound)(e->inputs[0]))).e);
    }
    const Formula sum(balanced_sum(terms, 0, terms.size()));
    return placed((length * sum).e, e->begin, e->end);
  }

  const int nodes_;
  const std::map<int, ExpressionPtr> bound_;
  Memo done_;
};

/// Replaces nodes for which `other` gives something; inputs first.
template <class Other> class Rewriting {
 public:
  explicit Rewriting(Other other) : other_(std::move(other)) {}

  ExpressionPtr operator()(const ExpressionPtr& e) {
    if (const auto done = done_.find(e.get()); done != done_.end()) return done->second;
    ExpressionPtr made = other_(e);
    if (!made)
      made = with_mapped_inputs(e, [this](const ExpressionPtr& input) { return (*this)(input); });
    return done_[e.get()] = made;
  }

 private:
  Other other_;
  Memo done_;
};

}  // namespace

void set_integrals(const Requirement& requirement, Scope& scope) {
  scope.whole = requirement.region != nullptr && !requirement.periodic;
  scope.quadrature = requirement.quadrature > 0 ? requirement.quadrature : usual_nodes;
  scope.places = requirement.places.get();
}

bool is_integral(const Requirement& requirement) {
  return std::ranges::any_of(requirement.residuals, [](const Residual& r) {
    return r.expression && contains(*r.expression, Kind::whole);
  });
}

WholeForm whole_form(const Requirement& requirement) {
  WholeForm form;
  Rewriting rewriting([&](const ExpressionPtr& e) -> ExpressionPtr {
    if (e->kind != Kind::whole) return nullptr;
    form.of.push_back(e->inputs[0]);
    form.mean.push_back(e->name == "mean");
    return make_leaf(Kind::column, int(form.of.size()) - 1);
  });
  for (const Residual& r : requirement.residuals) form.formulas.push_back(rewriting(r.expression));
  return form;
}

Requirement integrands_of(const Requirement& requirement) {
  Requirement all = requirement;
  if (!is_integral(requirement)) return all;
  all.residuals.clear();
  for (const ExpressionPtr& e : whole_form(requirement).of) {
    Residual& to = all.residuals.emplace_back();
    to.name = requirement.name;
    to.expression = e;
  }
  return all;
}

double expanded_size(const Expression& e, int nodes, double of_whole) {
  std::unordered_map<const Expression*, double> size;
  for (const Expression* node : in_order(e)) {
    double all = 1;
    for (const ExpressionPtr& input : node->inputs) all += size.at(input.get());
    if (node->kind == Kind::integral) all *= nodes;
    if (node->kind == Kind::whole) all *= of_whole;
    size[node] = all;
  }
  return size.at(&e);
}

ExpressionPtr expanded(const ExpressionPtr& e, int nodes) {
  return contains(*e, Kind::integral) ? Expansion(nodes, {})(e) : e;
}

ExpressionPtr summed(const ExpressionPtr& e, const PlaceRule& rule) {
  double measure = 0;
  for (const double w : rule.weights) measure += w;
  return Rewriting([&](const ExpressionPtr& node) -> ExpressionPtr {
    if (node->kind != Kind::whole) return nullptr;
    std::vector<ExpressionPtr> terms;
    for (std::size_t k = 0; k < rule.weights.size(); ++k) {
      std::vector<ExpressionPtr> places;
      for (const double x : rule.places[k]) places.push_back(make_number(x));
      const double weight = rule.weights[k] / (node->name == "mean" ? measure : 1);
      terms.push_back(make_call(
          "mul", {make_number(weight), make_elsewhere(node->inputs[0], rule.marked, places)}));
    }
    return balanced_sum(terms, 0, terms.size());
  })(e);
}

ExpressionPtr with_places(const ExpressionPtr& e, const MultiIndex& marked,
                          const std::vector<ExpressionPtr>& places) {
  return Rewriting([&](const ExpressionPtr& node) -> ExpressionPtr {
    if (node->kind != Kind::coordinate || marked[std::size_t(node->index)] == 0) return nullptr;
    std::size_t at = 0;
    for (int c = 0; c < node->index; ++c) at += marked[std::size_t(c)];
    return places[at];
  })(e);
}

}  // namespace pinn
