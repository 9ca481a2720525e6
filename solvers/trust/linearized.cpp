#include "solvers/trust/linearized.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "solvers/points/point_sets.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/pieces.h"
#include "solvers/residual/evaluate/residuals.h"
#include "solvers/state/windows.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;

constexpr std::size_t most_coordinates = 8;  ///< products of more functions are too few

/// All indices that divide one of some, in their order.
std::vector<MultiIndex> closure(const std::set<MultiIndex>& some) {
  std::set<MultiIndex> all{MultiIndex{}};
  std::vector<MultiIndex> open(some.begin(), some.end());
  while (!open.empty()) {
    const MultiIndex a = open.back();
    open.pop_back();
    if (!all.insert(a).second) continue;
    for (int c = 0; c < max_coordinates; ++c)
      if (a[std::size_t(c)] > 0) open.push_back(a - unit_index(c));
  }
  return {all.begin(), all.end()};
}

ExpressionPtr formula_of(const Need& need) {
  const ExpressionPtr field = make_leaf(Kind::field, need.field);
  return order(need.index) == 0 ? field : make_derivative(field, need.index);
}

/// The derivative of a formula of the coordinates.
ExpressionPtr derived(ExpressionPtr e, const MultiIndex& by) {
  for (int c = 0; c < max_coordinates; ++c)
    for (int k = 0; k < by[std::size_t(c)]; ++k) e = differentiate(e, c);
  return e;
}

/// A form with numbers in the place of the fields before: 1 for one of them, 0 for the others.
ExpressionPtr with_before(const ExpressionPtr& e, std::size_t one) {
  if (e->kind == Kind::before) return make_number(std::size_t(e->index) == one ? 1 : 0);
  if (e->inputs.empty() || !contains(*e, Kind::before)) return e;
  std::vector<ExpressionPtr> inputs;
  for (const ExpressionPtr& input : e->inputs) inputs.push_back(with_before(input, one));
  return with_inputs(*e, std::move(inputs));
}

std::string beyond(const Expression& e) {
  if (contains(e, Kind::elsewhere)) return "it asks for fields at other places";
  if (contains(e, Kind::integral) || contains(e, Kind::whole)) return "it asks for integrals";
  if (contains(e, Kind::by_region)) return "it means something else in every region";
  return "";
}

}  // namespace

double binomial(const MultiIndex& a, const MultiIndex& b) {
  double product = 1;
  for (int c = 0; c < max_coordinates; ++c)
    for (int k = 0; k < b[std::size_t(c)]; ++k)
      product *= double(a[std::size_t(c)] - k) / double(k + 1);
  return product;
}

Linearized::Linearized(const Run& run, std::shared_ptr<const Model> model,
                       std::span<const double> p, std::span<const double> weights,
                       const Carried* carried, ThreadPool& pool)
    : run_(run),
      model_(std::move(model)),
      p_(p),
      carried_(carried),
      pool_(pool),
      time_(time_of(run.problem)),
      unknowns_(model_->unknown_values(p)),
      wholes_(whole_fields(run.problem)) {
  if (run.problem.coordinates.size() > most_coordinates)
    absent_ = "it has more than eight coordinates";
  else if (run.problem.pieces && !run.windows.edges.empty())
    absent_ = "it has pieces, in windows";
  if (absent_.empty()) read(weights);
  if (absent_.empty()) ask_network();
  forms_.resize(run.problem.fields.size());
  before_.resize(run.problem.fields.size());
  for (std::size_t f = 0; f < run.problem.outputs.size() && absent_.empty(); ++f) read_form(f);
}

void Linearized::read(std::span<const double> weights) {
  const Problem& problem = run_.problem;
  std::size_t term = 0;
  for (std::size_t r = 0; r < problem.requirements.size() && absent_.empty(); ++r) {
    const Requirement& requirement = problem.requirements[r];
    if (is_integral(requirement)) absent_ = "it asks for integrals";
    const std::vector<Requirement> pieces = pieces_of(requirement);
    if (pieces.empty()) read_piece(r, -1, requirement, term, weights);
    for (std::size_t k = 0; k < pieces.size(); ++k) read_piece(r, int(k), pieces[k], term, weights);
    term += terms_of(requirement, problem).size();
  }
}

/// The residuals of a requirement in one of its pieces; their terms begin with `term`.
void Linearized::read_piece(std::size_t r, int piece, const Requirement& requirement,
                            std::size_t term, std::span<const double> weights) {
  for (std::size_t k = 0; k < requirement.residuals.size() && absent_.empty(); ++k) {
    const ExpressionPtr& written = requirement.residuals[k].expression;
    absent_ = beyond(*written);
    if (!absent_.empty()) return;
    const ExpressionPtr e = substitute_fields(written, {});
    const Needs all = needs(*e);
    asked_.push_back({r,
                      k,
                      piece,
                      {all.begin(), all.end()},
                      std::make_shared<const Evaluator>(*e),
                      weights[term + k],
                      requirement.data ? requirement.data->sigma : 1});
  }
  if (!requirement.periodic) return;
  for (const auto& [near, far] : periodic_fields(requirement, run_.problem))
    for (int k = 0; k <= requirement.periodic->order; ++k, ++term) {
      MultiIndex a{};
      a[std::size_t(requirement.periodic->coordinate)] = std::uint8_t(k);
      asked_.push_back({r, 0, piece, {Need{near, a}, Need{far, a}}, nullptr, weights[term], 1});
    }
}

/// Compiles what all rows ask of the network: of each field the derivatives that divide what is
/// asked, and those of its slopes.
void Linearized::ask_network() {
  std::vector<std::set<MultiIndex>> asked(run_.problem.fields.size());
  for (const LinearizedTerm& one : asked_)
    for (const Need& need : one.needs) {
      asked[std::size_t(need.field)].insert(need.index);
      highest_ = std::max(highest_, order(need.index));
    }
  std::vector<ExpressionPtr> formulas;
  for (std::size_t f = 0; f < asked.size(); ++f) {
    orders_.push_back(closure(asked[f]));
    std::set<MultiIndex> known(orders_[f].begin(), orders_[f].end());
    for (const MultiIndex& a : orders_[f])
      for (std::size_t c = 0; c < run_.problem.coordinates.size() && order(a) < max_order; ++c)
        known.insert(a + unit_index(int(c)));
    for (const MultiIndex& a : known) {
      at_[{int(f), a}] = formulas.size();
      formulas.push_back(formula_of({int(f), a}));
    }
  }
  network_ = std::make_unique<Formulas>(model_, formulas);
}

/// D of u = G + D N, and what G multiplies the fields before by.
void Linearized::read_form(std::size_t field) {
  const ExpressionPtr& output = run_.problem.outputs[field];
  if (!output) return;
  const std::size_t fields = run_.problem.fields.size();
  const auto with = [&](double n, std::size_t one) {
    return Formula(substitute_fields(with_before(output, one), {}, make_number(n)));
  };
  const Formula d = with(1, fields) - with(0, fields);
  const auto differs = [&](const Formula& e) {
    const Evaluator once(*d.e), again(*e.e);
    const Points some = draw_points(*interior(run_.problem), {.count = 50}, 0, 0, 0);
    const std::size_t width = run_.problem.coordinates.size();
    for (std::size_t i = 0; i < some.count; ++i) {
      const PointValues at{.coordinates = std::span(some.x).subspan(i * width, width),
                           .unknowns = unknowns_};
      if (!(std::fabs(once(at) - again(at)) <= 1e-9 * (std::fabs(once(at)) + 1))) return true;
    }
    return false;
  };
  if (differs(with(3, fields) - with(2, fields))) absent_ = "its form is no G + D N";
  for (const MultiIndex& a : orders_[field])
    forms_[field].push_back(std::make_shared<const Evaluator>(*derived(d.e, a)));
  if (!contains(*output, Kind::before)) return;
  for (std::size_t g = 0; g < fields; ++g) {
    if (differs(with(1, g) - with(0, g))) absent_ = "its form is no G + D N";
    const Formula factor = with(0, g) - with(0, fields);
    auto& derivatives = before_[field].emplace_back();
    for (const MultiIndex& a : orders_[field])
      derivatives.push_back(std::make_shared<const Evaluator>(*derived(factor.e, a)));
  }
}

/// A derivative of what the form of a field carries on of the window before.
double Linearized::carried_by_form(const Need& need, std::span<const double> x) const {
  const auto& factors = before_[std::size_t(need.field)];
  if (!carried_ || factors.empty()) return 0;
  const std::vector<MultiIndex>& orders = orders_[std::size_t(need.field)];
  double sum = 0;
  for (std::size_t g = 0; g < factors.size(); ++g)
    for (std::size_t b = 0; b < orders.size(); ++b) {
      if (orders[b][std::size_t(time_)] > 0 || !divides(orders[b], need.index)) continue;
      const auto rest = std::ranges::lower_bound(orders, need.index - orders[b]);
      const double factor = (*factors[g][std::size_t(rest - orders.begin())])(
          {.coordinates = x, .unknowns = unknowns_});
      if (factor != 0)
        sum +=
            binomial(need.index, orders[b]) * factor * (*carried_)({int(g), orders[b]}, time_, x);
    }
  return sum;
}

}  // namespace pinn
